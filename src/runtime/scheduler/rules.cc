#include "runtime/scheduler/rules.h"

#include "runtime/scheduler/scheduler.h"

namespace heddle {

void LearnClockRule(const Scheduler& scheduler) {
  int readers = 0, waiters = 0, both = 0;
  for (std::size_t i = 0; i < scheduler.thread_count(); ++i) {
    const Thread& thread = *scheduler.ThreadById(static_cast<ThreadId>(i));
    readers += thread.reads_clock ? 1 : 0;
    waiters += thread.lets_time_pass ? 1 : 0;
    both += thread.reads_clock && thread.lets_time_pass ? 1 : 0;
  }
  const bool is_one_alone = readers == 1 && waiters == 1 && both == 1;
  if (readers == 0 || waiters == 0 || is_one_alone) return;
  Rules::Report(Rule::kClock, scheduler.channel());
}

}  // namespace heddle
