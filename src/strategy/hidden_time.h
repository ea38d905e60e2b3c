// Whether a search that tries every answer to every decision has seen all: not where time might
// have passed right before somebody read the time-stamp counter, which is no decision.
#ifndef HEDDLE_STRATEGY_HIDDEN_TIME_H_
#define HEDDLE_STRATEGY_HIDDEN_TIME_H_

#include <algorithm>
#include <string>

#include "strategy/run_order.h"
#include "trace/run_trace.h"

namespace heddle {

// Learn() is told of every run. Who reads no clock pays for a look at the list of objects.
class HiddenTime {
 public:
  void Learn(const RunTrace& trace) {
    const auto is_clock = [](const ObjectRecord& object) {
      return object.kind == ObjectKind::kClock;
    };
    if (found_ || std::none_of(trace.objects.begin(), trace.objects.end(), is_clock)) return;
    order_.Build(trace);
    found_ = order_.HidesClock();
  }

  bool found() const { return found_; }
  void Load(bool found) { found_ = found; }

  std::string Remark() const {
    if (!found_) return {};
    return "A thread read the time-stamp counter (rdtsc) while another one slept or waited with a "
           "time limit. Threads are not switched right before that: outcomes may be missing.";
  }

 private:
  RunOrder order_;
  bool found_ = false;
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_HIDDEN_TIME_H_
