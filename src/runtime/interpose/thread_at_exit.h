// libc's own registration of thread_local destructors, for threads that heddle does not schedule.
#ifndef HEDDLE_RUNTIME_INTERPOSE_THREAD_AT_EXIT_H_
#define HEDDLE_RUNTIME_INTERPOSE_THREAD_AT_EXIT_H_

namespace heddle {

int RealThreadAtExit(void (*destructor)(void*), void* object, void* module);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_THREAD_AT_EXIT_H_
