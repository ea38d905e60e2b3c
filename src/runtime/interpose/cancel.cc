// pthread_cancel and clean-up handlers. A cancelled thread ends at its next cancellation point; one
// that waits at one is woken. Asynchronous cancellation is delivered at scheduling points.
#include "runtime/interpose/cancel.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>

#include "runtime/engine.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/thread_body.h"

namespace heddle {
namespace {

// C++ sees no declarations of these.
using Change = void (*)(__pthread_unwind_buf_t*);

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

[[noreturn]] void ActOnCancel(Scheduler* scheduler) {
  Thread* const self = scheduler->current();
  self->cancel.is_acted_on = true;
  scheduler->RecordDirectly(OpKind::kCancelled, self->object, 0);
  UnwindAndEnd(PTHREAD_CANCELED);
}

}  // namespace

bool CancelIsDue(const Thread& thread) {
  return thread.cancel.is_requested && thread.cancel.is_enabled && !thread.cancel.is_acted_on;
}

void TestCancel(Scheduler* scheduler) {
  if (CancelIsDue(*scheduler->current())) ActOnCancel(scheduler);
}

void TestAsyncCancel(Scheduler* scheduler) {
  if (scheduler->current()->cancel.is_async) TestCancel(scheduler);
}

Delivered AttendToInterruption(Scheduler* scheduler, std::uint64_t found) {
  Event* const event = scheduler->Record();
  event->flags |= Event::kFailed;
  event->value = found;
  TestCancel(scheduler);
  return scheduler->Attend();
}

bool InterruptsCall(Scheduler* scheduler, std::uint64_t found) {
  return AttendToInterruption(scheduler, found).fails_calls;
}

}  // namespace heddle

using heddle::Scheduler;
using heddle::Thread;
namespace real = heddle::real;

HEDDLE_EXPORT int pthread_cancel(pthread_t handle) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_cancel(handle);
  Thread* const target = scheduler->ThreadOf(handle);
  if (target == nullptr) return ESRCH;
  scheduler->Reach(
      {.kind = heddle::OpKind::kCancel, .object = target->object, .site = HEDDLE_CALLER});
  scheduler->Record()->other = target->id;
  scheduler->recorder().Aimed(*scheduler->current(), *target);
  if (target->ended) return 0;
  target->cancel.is_requested = true;
  if (target->cancel.is_async && target->cancel.is_enabled) {
    scheduler->Uncontrolled("asynchronous cancellation",
                            "it is delivered when the thread comes to a scheduling point",
                            HEDDLE_CALLER);
    target->needs_attention = true;
  }
  if (target->cancel.is_enabled) {
    scheduler->Interrupt(target, /*at_any_operation=*/target->cancel.is_async);
  }
  heddle::TestAsyncCancel(scheduler);
  return 0;
}

HEDDLE_EXPORT int pthread_setcancelstate(int state, int* old) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_setcancelstate(state, old);
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  auto& cancel = scheduler->current()->cancel;
  if (old != nullptr) *old = cancel.is_enabled ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE;
  cancel.is_enabled = state == PTHREAD_CANCEL_ENABLE;
  heddle::TestAsyncCancel(scheduler);
  return 0;
}

HEDDLE_EXPORT int pthread_setcanceltype(int type, int* old) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_setcanceltype(type, old);
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  auto& cancel = scheduler->current()->cancel;
  if (old != nullptr) {
    *old = cancel.is_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  }
  cancel.is_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  heddle::TestAsyncCancel(scheduler);
  return 0;
}

HEDDLE_EXPORT void pthread_testcancel() {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_testcancel();
  // Whether the request has come by now is up to the schedule.
  scheduler->Reach({.kind = heddle::OpKind::kYield,
                    .object = scheduler->current()->object,
                    .site = HEDDLE_CALLER,
                    .interruptible = true});
  scheduler->Record();
  heddle::TestCancel(scheduler);
}

// What pthread_cleanup_push and _pop of C become: a chain of buffers in the frames that pushed
// them. Unwinding goes from one to the next (scheduler/thread_body.cc).
HEDDLE_EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t* buffer) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr)
    return heddle::Next<heddle::Change>("__pthread_register_cancel")(buffer);
  Thread* const self = scheduler->current();
  buffer->__pad[0] = self->cleanup;
  self->cleanup = buffer;
}

HEDDLE_EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t* buffer) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr)
    return heddle::Next<heddle::Change>("__pthread_unregister_cancel")(buffer);
  scheduler->current()->cleanup = static_cast<__pthread_unwind_buf_t*>(buffer->__pad[0]);
}

// The same, with cancellation deferred in between: of pthread_cleanup_push_defer_np. Which it was
// before is kept where glibc keeps it.
HEDDLE_EXPORT void __pthread_register_cancel_defer(__pthread_unwind_buf_t* buffer) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) {
    return heddle::Next<heddle::Change>("__pthread_register_cancel_defer")(buffer);
  }
  auto& is_async = scheduler->current()->cancel.is_async;
  buffer->__pad[2] = is_async ? buffer : nullptr;
  is_async = false;
  __pthread_register_cancel(buffer);
}

HEDDLE_EXPORT void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t* buffer) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) {
    return heddle::Next<heddle::Change>("__pthread_unregister_cancel_restore")(buffer);
  }
  __pthread_unregister_cancel(buffer);
  scheduler->current()->cancel.is_async = buffer->__pad[2] != nullptr;
  heddle::TestAsyncCancel(scheduler);
}

HEDDLE_EXPORT void __pthread_unwind_next(__pthread_unwind_buf_t* buffer) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) heddle::Next<heddle::Change>("__pthread_unwind_next")(buffer);
  Thread* const self = scheduler->current();
  self->cleanup = static_cast<__pthread_unwind_buf_t*>(buffer->__pad[0]);
  heddle::UnwindAndEnd(self->result);
}
