// One-time initialisation: pthread_once, and the guards of static locals.
#include "runtime/interpose/once.h"

#include <dlfcn.h>

#include "runtime/engine.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/memory_object.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

constexpr int kOnceDone = 2;  // what glibc's pthread_once leaves behind

// True: the caller must initialise, then call Finish or Abandon.
bool Enter(Scheduler* scheduler, void* address, std::uint64_t site) {
  Object* const object = Objects::At(address, ObjectKind::kOnce);
  scheduler->Reach({.kind = OpKind::kOnce, .object = object, .site = site});
  object->once.LetKnow(scheduler->current()->id);
  if (object->once.done) {
    scheduler->RecordFailed();  // nothing left to do
    return false;
  }
  scheduler->Record();
  object->once.Begin(scheduler->current()->id);
  scheduler->Reconsider(object);
  return true;
}

// `seen` is what compiled code looks at by itself, if it does.
void Leave(Scheduler* scheduler, void* address, bool done, std::uint64_t site,
           Object* seen = nullptr) {
  Object* const object = Objects::At(address, ObjectKind::kOnce);
  scheduler->Reach({.kind = OpKind::kOnceDone, .object = object, .second = seen, .site = site});
  scheduler->Record(seen == nullptr ? kNoObject : seen->id, kNoThread);  // an event has one object
  if (done) {
    object->once.Finish();
  } else {
    object->once.Abandon();
  }
  scheduler->Reconsider(object);
}

// It is done. A thread that did not know is ordered behind who did it, or would have done it itself
// had it come first: that is an event. From then on passing it commutes with whatever others do
// (the unwinder passes one at every frame).
void Passed(Scheduler* scheduler, void* address, std::uint64_t site) {
  Object* const object = Objects::FindAt(address, ObjectKind::kOnce);
  if (object == nullptr) return;
  if (!object->once.IsKnownTo(scheduler->current()->id)) {
    Enter(scheduler, address, site);
  } else {
    scheduler->races().Passed(scheduler->current()->id, *object);
  }
}

// The initialiser may leave by an exception or by pthread_exit: then nothing was done.
class OnceGuard {
 public:
  OnceGuard(Scheduler* scheduler, pthread_once_t* control, std::uint64_t site)
      : scheduler_(scheduler), control_(control), site_(site) {}
  ~OnceGuard() {
    Leave(scheduler_, control_, done_, site_);
    // Not before: others who find it done are ordered after what was done.
    if (done_) *control_ = kOnceDone;
  }
  OnceGuard(const OnceGuard&) = delete;
  OnceGuard& operator=(const OnceGuard&) = delete;
  void Done() { done_ = true; }

 private:
  Scheduler* scheduler_;
  pthread_once_t* control_;
  std::uint64_t site_;
  bool done_ = false;
};

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void RunOnce(Scheduler* scheduler, pthread_once_t* control, void (*routine)(), std::uint64_t site) {
  if (__atomic_load_n(control, __ATOMIC_ACQUIRE) == kOnceDone) {
    Passed(scheduler, control, site);
    return;
  }
  if (!Enter(scheduler, control, site)) return;
  OnceGuard guard(scheduler, control, site);
  routine();
  guard.Done();
}

}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int pthread_once(pthread_once_t* control, void (*routine)()) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_once(control, routine);
  heddle::RunOnce(scheduler, control, routine, HEDDLE_CALLER);
  return 0;
}

// The compiler calls these only while the guard's first byte is 0; what it reads there is an atomic
// access of the program's own.
HEDDLE_EXPORT int __cxa_guard_acquire(std::uint64_t* guard) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) {
    static const auto next = heddle::Next<int (*)(std::uint64_t*)>("__cxa_guard_acquire");
    return next(guard);
  }
  if (*reinterpret_cast<char*>(guard) != 0) {
    heddle::Passed(scheduler, guard, HEDDLE_CALLER);
    return 0;
  }
  return heddle::Enter(scheduler, guard, HEDDLE_CALLER) ? 1 : 0;
}

HEDDLE_EXPORT void __cxa_guard_release(std::uint64_t* guard) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) {
    static const auto next = heddle::Next<void (*)(std::uint64_t*)>("__cxa_guard_release");
    return next(guard);
  }
  heddle::Leave(scheduler, guard, true, HEDDLE_CALLER, heddle::MemoryAt(guard, 1));
  __atomic_store_n(reinterpret_cast<char*>(guard), 1, __ATOMIC_RELEASE);
}

HEDDLE_EXPORT void __cxa_guard_abort(std::uint64_t* guard) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) {
    static const auto next = heddle::Next<void (*)(std::uint64_t*)>("__cxa_guard_abort");
    return next(guard);
  }
  heddle::Leave(scheduler, guard, false, HEDDLE_CALLER);
}
