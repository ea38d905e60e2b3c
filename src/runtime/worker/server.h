// The fork server inside the program under test.
#ifndef HEDDLE_RUNTIME_WORKER_SERVER_H_
#define HEDDLE_RUNTIME_WORKER_SERVER_H_

namespace heddle {

// Before main, or before the first thread if a constructor starts one. Answers the controller's
// requests by forking a child per run; returns only in such a child, where the program then goes on
// under control. Without a controller it returns at once. Idempotent.
void ServeBeforeFirstThread();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_WORKER_SERVER_H_
