// The program's timers, for runs that follow each other in one process.
#ifndef HEDDLE_RUNTIME_INTERPOSE_TIMERS_H_
#define HEDDLE_RUNTIME_INTERPOSE_TIMERS_H_

namespace heddle {

void ForgetTimers();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_TIMERS_H_
