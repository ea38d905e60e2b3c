// User-level stacks inside one thread (Boost.Context with __tsan_create_fiber …): a ring of call
// sites each, so that contexts stay those of the stack that runs.
#include "runtime/engine.h"
#include "runtime/memory/arena.h"
#include "runtime/scheduler/scheduler.h"

using heddle::Scheduler;
using heddle::UserFiber;

HEDDLE_EXPORT void* heddle_fiber_create(unsigned) {
  if (Scheduler::OfThisThread() == nullptr) return nullptr;
  auto* const ring =
      static_cast<std::uint64_t*>(heddle::ArenaAllocate(sizeof(std::uint64_t) << HEDDLE_CALL_BITS));
  return new UserFiber{ring, 0};
}

HEDDLE_EXPORT void heddle_fiber_destroy(void* fiber) {
  if (fiber == nullptr || Scheduler::OfThisThread() == nullptr) return;
  heddle::ArenaFree(static_cast<UserFiber*>(fiber)->calls);
  delete static_cast<UserFiber*>(fiber);
}

HEDDLE_EXPORT void* heddle_fiber_current() {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return nullptr;
  heddle::Thread* const self = scheduler->current();
  if (self->fiber == nullptr) self->fiber = new UserFiber{self->calls, 0};
  return self->fiber;
}

HEDDLE_EXPORT void heddle_fiber_switch(void* fiber, unsigned) {
  auto* const before = static_cast<UserFiber*>(heddle_fiber_current());
  if (before == nullptr || fiber == nullptr) return;
  heddle::Thread* const self = Scheduler::Get()->current();
  before->call_depth = heddle::engine.hot.call_depth;
  self->fiber = static_cast<UserFiber*>(fiber);
  self->calls = self->fiber->calls;
  heddle::engine.hot.calls = self->fiber->calls;
  heddle::engine.hot.call_depth = self->fiber->call_depth;
}
