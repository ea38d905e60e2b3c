// What a program tells heddle by include/heddle/heddle.h: its own allocators, its liveness.
#include "runtime/engine.h"
#include "runtime/interpose/freeing.h"
#include "runtime/scheduler/scheduler.h"

using heddle::Scheduler;

HEDDLE_EXPORT void heddle_allocated(const void* pointer, std::size_t size) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr || size == 0) return;
  scheduler->memory_faults().PoolAllocated(reinterpret_cast<std::uint64_t>(pointer), size,
                                           HEDDLE_CALLER);
}

HEDDLE_EXPORT void heddle_freed(const void* pointer) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr || pointer == nullptr) return;
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const std::uint64_t size = scheduler->memory_faults().SizeInPool(address);
  if (size != 0) heddle::TouchFreed(scheduler, pointer, size, HEDDLE_CALLER);
  scheduler->memory_faults().PoolFreed(address, HEDDLE_CALLER);
}

HEDDLE_EXPORT void heddle_set_hot(const char* name, int is_hot) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return;
  if (is_hot != 0) {
    scheduler->monitors().Hot(name, scheduler->current()->id, HEDDLE_CALLER);
  } else {
    scheduler->monitors().Cold(name);
  }
}
