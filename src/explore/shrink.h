// A failing schedule with fewer preemptions that fails the same way.
//
// First everything behind some decision is left to the rule "the running thread goes on"; then the
// stretches in which another thread cuts in are put off, many at a time, then fewer (delta
// debugging). A stretch is put off by naming switches by place instead of by number: the other
// switches then stay where they were. Every candidate is run; nothing is assumed.
#ifndef HEDDLE_EXPLORE_SHRINK_H_
#define HEDDLE_EXPLORE_SHRINK_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "explore/validate.h"
#include "explore/worker.h"
#include "trace/channel.h"
#include "trace/plan.h"

namespace heddle {

struct ShrinkOptions {
  std::vector<SiteRef> sites;
  std::vector<ModuleRecord> modules;
  int most_runs = 200;
  double seconds = 3;
};

// Makes one run: its trace, with events, when it fails as it should.
using Attempt = std::function<std::optional<OwnedTrace>(const Order&)>;

// The answers of the simplest failing run seen; `answers` themselves when none is simpler.
std::vector<Answer> Shrink(const Plan& plan, std::vector<Answer> answers,
                           const ShrinkOptions& options, const Attempt& attempt);

// A decision that was not "go on".
struct Switch {
  DecisionKind decision = DecisionKind::kThread;
  Outcome outcome = Outcome::kNormal;
  ThreadId from = kNoThread;
  ThreadId to = kNoThread;
  bool forced = false;          // `from` could not go on
  OpKind kind = OpKind::kNone;  // that `from` was about to do
  std::uint64_t site = 0;
  std::uint32_t occurrence = 0;  // of that kind at that site in `from`, from 1

  friend bool operator==(const Switch&, const Switch&) = default;
};
std::vector<Switch> SwitchesOf(const OwnedTrace& trace);

// The schedule in which the stretch that switch `index` begins is put off until its thread runs
// anyway: who was to come after it comes instead.
std::vector<Switch> PutOff(std::vector<Switch> switches, std::size_t index);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_SHRINK_H_
