// dlopen and dlclose run constructors and destructors under the dynamic linker's lock: nobody else
// may run meanwhile, or the next one to need the linker (an exception, say) would hang.
//
// The linker sees us as the caller: a bare name is not searched in the RUNPATH of the module that
// asked for it, as under ThreadSanitizer; LD_LIBRARY_PATH and paths with a slash work as ever.
#include <dlfcn.h>

#include "runtime/engine.h"
#include "runtime/memory/modules.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/switch/tls.h"

namespace heddle {
namespace {

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

class Hold {
 public:
  explicit Hold(Scheduler* scheduler) : scheduler_(scheduler) { scheduler_->HoldProcessor(); }
  ~Hold() {
    scheduler_->LetGoOfProcessor();
    Modules::Refresh(scheduler_->channel());
    ModulesChanged();
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  Scheduler* scheduler_;
};

}  // namespace
}  // namespace heddle

using heddle::Scheduler;

HEDDLE_EXPORT void* dlopen(const char* file, int mode) {
  static const auto next = heddle::Next<void* (*)(const char*, int)>("dlopen");
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return next(file, mode);
  const heddle::Hold hold(scheduler);
  return next(file, mode);
}

HEDDLE_EXPORT int dlclose(void* handle) {
  static const auto next = heddle::Next<int (*)(void*)>("dlclose");
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return next(handle);
  const heddle::Hold hold(scheduler);
  return next(handle);
}
