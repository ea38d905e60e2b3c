#include "runtime/interpose/thread_at_exit.h"

#include <dlfcn.h>

namespace heddle {

// Not declared by any header, so it is not in the table of real functions.
int RealThreadAtExit(void (*destructor)(void*), void* object, void* module) {
  using Function = int (*)(void (*)(void*), void*, void*);
  static const auto function =
      reinterpret_cast<Function>(dlsym(RTLD_NEXT, "__cxa_thread_atexit_impl"));
  return function(destructor, object, module);
}

}  // namespace heddle
