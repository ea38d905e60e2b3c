#include "runtime/scheduler/monitors.h"

#include <algorithm>

#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {

void Monitors::Hot(const char* name, ThreadId thread, std::uint64_t site) {
  Cold(name);
  hot_.push_back({name, thread, site});
}

void Monitors::Cold(const char* name) {
  hot_.erase(std::remove_if(hot_.begin(), hot_.end(),
                            [name](const Monitor& monitor) { return monitor.name == name; }),
             hot_.end());
}

void Monitors::CheckAtEnd(Scheduler* scheduler) {
  if (hot_.empty()) return;
  const Monitor& first = hot_.front();
  Failure failure;
  failure.kind = FailureKind::kLiveness;
  failure.thread = scheduler->current()->id;
  failure.stacks[0] = scheduler->recorder().StoreStack(&first.site, 1);
  failure.stack_threads[0] = first.thread;
  SetText(failure.message, sizeof failure.message, first.name);
  FailRun(failure);
}

}  // namespace heddle
