// Counted references to exceptions. The count lives in libstdc++.so, whose atomics nobody sees:
// what its last owner does to the exception comes after what all others did.
#include <dlfcn.h>

#include "runtime/engine.h"
#include "runtime/scheduler/scheduler.h"

using heddle::Scheduler;

// std::exception_ptr::_M_release(); an exception_ptr is a pointer to the exception.
HEDDLE_EXPORT void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void** self) {
  using Function = void (*)(void**);
  static const auto next = reinterpret_cast<Function>(
      dlsym(RTLD_NEXT, "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"));
  if (Scheduler* const scheduler = Scheduler::OfThisThread(); scheduler != nullptr) {
    const auto exception = reinterpret_cast<std::uint64_t>(*self);
    const heddle::ThreadId thread = scheduler->current()->id;
    scheduler->races().Release(thread, exception);
    scheduler->races().Acquire(thread, exception);
  }
  if (next != nullptr) next(self);
}
