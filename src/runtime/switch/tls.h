// Thread-locals of a shell that is used again: as if its thread were new.
#ifndef HEDDLE_RUNTIME_SWITCH_TLS_H_
#define HEDDLE_RUNTIME_SWITCH_TLS_H_

namespace heddle {

// On the thread itself: every module's thread-locals get their initial image back, libc's own
// excepted.
void ResetThreadLocals();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SWITCH_TLS_H_
