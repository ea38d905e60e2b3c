// Which rules (trace/rule.h) hold in this run, and which it found out to be needed.
//
// A rule is fixed for a whole run, so that the tree of decisions is a function of the decisions.
#ifndef HEDDLE_RUNTIME_SCHEDULER_RULES_H_
#define HEDDLE_RUNTIME_SCHEDULER_RULES_H_

#include <cstdint>
#include <span>

#include "trace/channel.h"

namespace heddle {

class Rules {
 public:
  // Before a run.
  static void Configure(std::span<const SiteRef> sites) {
    known_ = reported_ = 0;
    for (const SiteRef& site : sites) {
      if (site.lesson() == Lesson::kRule) known_ |= 1u << site.offset;
    }
  }
  static bool Has(Rule rule) { return (known_ & BitOf(rule)) != 0; }
  // Later runs should have it: into the channel's list of new sites, once.
  static void Report(Rule rule, Channel* channel) {
    if (((known_ | reported_) & BitOf(rule)) != 0) return;
    reported_ |= BitOf(rule);
    AddNewSite(channel, SiteRef::Of(rule));
  }

 private:
  static constexpr std::uint32_t BitOf(Rule rule) { return 1u << static_cast<std::uint32_t>(rule); }

  static inline std::uint32_t known_ = 0, reported_ = 0;
};

class Scheduler;

// A run that has used the clock ends: if a thread has read it while time might have passed for
// another one, reading it has to be a point.
void LearnClockRule(const Scheduler& scheduler);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_RULES_H_
