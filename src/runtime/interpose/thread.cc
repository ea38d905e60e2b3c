// pthread threads: create, join, detach, exit, names.
#include "runtime/interpose/thread.h"

#include <sys/prctl.h>
#include <sys/single_threaded.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <optional>

#include "runtime/engine.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/thread_at_exit.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/rules.h"
#include "runtime/scheduler/thread_body.h"
#include "runtime/worker/process.h"
#include "runtime/worker/server.h"

namespace heddle {
namespace {

// Whether pthread_attr_setstack was called, where glibc keeps it.
bool HasStackOfItsOwn(const pthread_attr_t* attributes) {
  constexpr int kFlagsWord = 2;
  constexpr int kStackAddress = 8;
  return (reinterpret_cast<const int*>(attributes)[kFlagsWord] & kStackAddress) != 0;
}

// Only a thread that is joinable may be joined or detached, by one thread, once.
bool IsJoinable(const Thread& thread) {
  return !thread.joined && thread.joiner == kNoThread && !thread.detached;
}

[[noreturn, gnu::noinline]] void ReportNotJoinable(Scheduler* scheduler, const Thread& thread,
                                                   const char* twice, const char* detached) {
  const bool is_twice = thread.joined || thread.joiner != kNoThread;
  ReportMisuse(scheduler, thread.object, is_twice ? twice : detached);
}

[[noreturn, gnu::noinline]] void ReportWrongJoin(Scheduler* scheduler, const Thread& target) {
  if (&target == scheduler->current()) {
    ReportMisuse(scheduler, target.object, "a thread joins itself");
  }
  ReportNotJoinable(scheduler, target, "join of a thread that was joined already",
                    "join of a thread that was detached");
}

// Null for a handle that never was a thread's.
[[gnu::always_inline]] inline Thread* ToJoin(Scheduler* scheduler, pthread_t handle) {
  Thread* const target = scheduler->ThreadOf(handle);
  if (target == nullptr) return nullptr;
  const bool is_right = target != scheduler->current() && IsJoinable(*target);
  if (__builtin_expect(!is_right, 0)) ReportWrongJoin(scheduler, *target);
  return target;
}

struct Attributes {
  bool detached = false;
  std::size_t stack_size = 0;           // 0: the usual
  std::optional<sigset_t> signal_mask;  // otherwise its creator's
};

[[gnu::noinline]] Attributes Read(const pthread_attr_t* attributes, Scheduler* scheduler,
                                  std::uint64_t site) {
  int detach_state = PTHREAD_CREATE_JOINABLE;
  std::size_t stack_size = 0;
  pthread_attr_getdetachstate(attributes, &detach_state);
  pthread_attr_getstacksize(attributes, &stack_size);
  if (HasStackOfItsOwn(attributes)) {
    scheduler->Uncontrolled("pthread_attr_setstack",
                            "the thread runs on a stack that heddle chose, of that size", site);
  }
  Attributes wanted = {detach_state == PTHREAD_CREATE_DETACHED, stack_size, std::nullopt};
  sigset_t mask;
  if (pthread_attr_getsigmask_np(attributes, &mask) == 0) wanted.signal_mask = mask;
  return wanted;
}

}  // namespace

int CreateThread(Scheduler* scheduler, pthread_t* handle, const pthread_attr_t* attributes,
                 void* (*routine)(void*), void* argument, std::uint64_t site) {
  ServeBeforeFirstThread();
  Attributes wanted;
  if (__builtin_expect(attributes != nullptr, 0)) wanted = Read(attributes, scheduler, site);
  Thread* const child =
      scheduler->Create(routine, argument, wanted.stack_size, wanted.detached, site);
  if (child == nullptr) return EAGAIN;
  if (wanted.signal_mask) child->signal_mask = *wanted.signal_mask;
  __libc_single_threaded = 0;
  *handle = child->shell->handle;
  return 0;
}

int JoinThread(Scheduler* scheduler, pthread_t handle, void** result, Deadline deadline,
               std::uint64_t site) {
  Thread* const target = ToJoin(scheduler, handle);
  if (target == nullptr) return ESRCH;
  target->joiner = scheduler->current()->id;
  if (deadline.is_set) Rules::Report(Rule::kEnds, scheduler->channel());
  Outcome outcome = kInterrupted;
  while (outcome == kInterrupted) {
    // Whoever is cancelled while it joins leaves the thread joinable.
    if (CancelIsDue(*scheduler->current())) target->joiner = kNoThread;
    TestCancel(scheduler);
    outcome = scheduler->Join(target, {.kind = deadline.is_set ? OpKind::kTimedJoin : OpKind::kJoin,
                                       .object = target->object,
                                       .second = ClockFor(scheduler, deadline),
                                       .site = site,
                                       .timed = deadline.is_set,
                                       .deadline = deadline.at,
                                       .interruptible = true});
  }
  target->joiner = kNoThread;
  if (outcome == Outcome::kTimeout) return ETIMEDOUT;
  if (result != nullptr) *result = target->result;
  return 0;
}

int DetachThread(Scheduler* scheduler, pthread_t handle, std::uint64_t site) {
  Thread* const target = scheduler->ThreadOf(handle);
  if (target == nullptr) return ESRCH;
  if (!IsJoinable(*target)) {
    ReportNotJoinable(scheduler, *target, "detach of a thread that is or was joined",
                      "detach of a thread that was detached already");
  }
  scheduler->RecordDirectly(OpKind::kDetach, target->object, site)->other = target->id;
  target->detached = true;
  if (target->ended) Shells::Release(target->shell);
  return 0;
}

}  // namespace heddle

using heddle::Scheduler;
using heddle::Thread;
namespace real = heddle::real;

HEDDLE_EXPORT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes,
                                 void* (*routine)(void*), void* argument) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_create(handle, attributes, routine, argument);
  return heddle::CreateThread(scheduler, handle, attributes, routine, argument, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_join(pthread_t handle, void** result) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) {
    heddle::EndIfRunIsOver();
    return real::pthread_join(handle, result);
  }
  return heddle::JoinThread(scheduler, handle, result, {}, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_timedjoin_np(handle, result, time);
  if (time == nullptr) return heddle::JoinThread(scheduler, handle, result, {}, HEDDLE_CALLER);
  if (!heddle::IsValid(time)) return EINVAL;
  const heddle::Deadline deadline = heddle::DeadlineAt(scheduler, CLOCK_REALTIME, time);
  return heddle::JoinThread(scheduler, handle, result, deadline, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock,
                                       const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_clockjoin_np(handle, result, clock, time);
  if (!heddle::IsWaitable(clock)) return EINVAL;
  if (time == nullptr) return heddle::JoinThread(scheduler, handle, result, {}, HEDDLE_CALLER);
  if (!heddle::IsValid(time)) return EINVAL;
  const heddle::Deadline deadline = heddle::DeadlineAt(scheduler, clock, time);
  return heddle::JoinThread(scheduler, handle, result, deadline, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_tryjoin_np(pthread_t handle, void** result) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_tryjoin_np(handle, result);
  Thread* const target = heddle::ToJoin(scheduler, handle);
  if (target == nullptr) return ESRCH;
  // A thread ends right after its last operation, but somebody may look before it got that far.
  heddle::Rules::Report(heddle::Rule::kEnds, scheduler->channel());
  scheduler->Reach(
      {.kind = heddle::OpKind::kTryJoin, .object = target->object, .site = HEDDLE_CALLER});
  if (!target->ended) {
    scheduler->RecordFailed()->other = target->id;
    return EBUSY;
  }
  scheduler->Record(0, target->id);
  return heddle::JoinThread(scheduler, handle, result, {}, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_detach(pthread_t handle) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_detach(handle);
  return heddle::DetachThread(scheduler, handle, HEDDLE_CALLER);
}

HEDDLE_EXPORT void pthread_exit(void* result) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) {
    real::pthread_exit(result);
  }
  heddle::UnwindAndEnd(result);
}

// glibc knows the thread of heddle's that the program's runs in; detaching is known to us alone.
HEDDLE_EXPORT int pthread_getattr_np(pthread_t handle, pthread_attr_t* attributes) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  const int error = real::pthread_getattr_np(handle, attributes);
  if (scheduler == nullptr || error != 0) return error;
  const Thread* const target = scheduler->ThreadOf(handle);
  if (target != nullptr && target->detached) {
    pthread_attr_setdetachstate(attributes, PTHREAD_CREATE_DETACHED);
  }
  return 0;
}

HEDDLE_EXPORT int pthread_setname_np(pthread_t handle, const char* name) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_setname_np(handle, name);
  Thread* const target = scheduler->ThreadOf(handle);
  if (target == nullptr) return ESRCH;
  if (std::strlen(name) >= sizeof target->name) return ERANGE;
  std::strcpy(target->name, name);
  scheduler->recorder().SetName(*target);
  return 0;
}

HEDDLE_EXPORT int pthread_getname_np(pthread_t handle, char* buffer, std::size_t size) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_getname_np(handle, buffer, size);
  if (size < sizeof(Thread::name)) return ERANGE;
  const Thread* target = scheduler->ThreadOf(handle);
  // A thread that nobody named has the name of its creator.
  while (target != nullptr && target->name[0] == '\0' && target->parent != heddle::kNoThread) {
    target = scheduler->ThreadById(target->parent);
  }
  if (target == nullptr || target->name[0] == '\0') {
    return real::pthread_getname_np(pthread_self(), buffer, size);
  }
  std::strcpy(buffer, target->name);
  return 0;
}

// Names are told to the system's thread otherwise, which may be another thread's too.
HEDDLE_EXPORT int prctl(int option, ...) noexcept {
  va_list list;
  va_start(list, option);
  unsigned long a[4];
  for (unsigned long& argument : a) argument = va_arg(list, unsigned long);
  va_end(list);
  if (Scheduler::OfThisThread() == nullptr || (option != PR_SET_NAME && option != PR_GET_NAME)) {
    return HEDDLE_NEXT(prctl)(option, a[0], a[1], a[2], a[3]);
  }
  char name[sizeof(Thread::name)] = {};
  if (option == PR_GET_NAME) {
    pthread_getname_np(pthread_self(), name, sizeof name);
    std::memcpy(reinterpret_cast<void*>(a[0]), name, sizeof name);
  } else {
    std::strncpy(name, reinterpret_cast<const char*>(a[0]), sizeof name - 1);
    pthread_setname_np(pthread_self(), name);
  }
  return 0;
}

// libstdc++ registers every thread_local destructor here.
HEDDLE_EXPORT int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* module) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return heddle::RealThreadAtExit(destructor, object, module);
  scheduler->current()->AtEnd().destructors.push_back({destructor, object});
  return 0;
}
