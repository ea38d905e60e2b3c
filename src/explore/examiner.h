// From a failed run to a finding: replayed, compared with the schedule without preemptions,
// simplified, and explained with stacks.
#ifndef HEDDLE_EXPLORE_EXAMINER_H_
#define HEDDLE_EXPLORE_EXAMINER_H_

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "explore/explorer.h"
#include "explore/judge.h"
#include "explore/ledger.h"
#include "explore/replayer.h"

namespace heddle {

// Replays happen in a worker of its own, not in the one that found the failure.
class Examiner {
 public:
  Examiner(const Invocation& invocation, const ExploreOptions& options, std::string temporary,
           const std::atomic<bool>* interrupt);

  // Of what failed behind another failure: a run in which it comes first or, where it needs that
  // other one, one in which whoever failed first is left behind there. Nothing: neither was seen.
  std::optional<Failing> MakeFirst(const Failing& later);

  // What a run that the step limit ended was at, as DescribeLoop says it.
  std::string DescribeCutOff(const Plan& plan, std::shared_ptr<const PointSet> points);

  // `uncontrolled` names what may be to blame when a failure does not replay.
  Explored::Found Examine(const Failing& failing, const std::vector<Uncontrolled>& uncontrolled);

 private:
  // The failure of a later one, by a run with that plan and so many failures that do not count.
  std::optional<Failing> MakeFirst(const Failing& later, const Plan& plan, std::uint32_t parked);
  // A run with these answers and points; nothing when it could not be made.
  std::optional<Reply> Repeat(const Plan& plan, bool detail);
  // The sighting that is being examined, as this run saw it.
  const Sighting* SightedIn(const OwnedTrace& trace, std::span<const ModuleRecord> modules) const;
  // Fails with the same fingerprint.
  bool IsSameFailure(const Reply& reply);
  // The answers of a simple run that was shown for another sighting, and shows this one too.
  const std::vector<Answer>* ShownBefore() const;
  // The recording that is worth showing: the original's answers, or those of a simpler one.
  std::vector<Answer> Simplify(const FailedRun& failed, FindingContext* context);
  Explored::Found Build(const OwnedTrace& trace, std::span<const ModuleRecord> modules,
                        const std::vector<SiteRef>& sites, FindingContext context,
                        const Failing& failing);

  const Invocation& invocation_;
  const ExploreOptions& options_;
  const Expectations expected_;
  Replayer replayer_;
  FailureNamer namer_;
  // Of the failure that is being examined.
  std::string fingerprint_;
  bool is_sighting_ = false;
  std::shared_ptr<const PointSet> points_;
  std::span<const std::uint8_t> input_;  // what came from outside, fed to every replay
  std::uint32_t parked_ = 0;             // failures before it that do not count, in every replay
  double hang_seconds_ = 0;              // for replays of a run that hung; 0 = as ever

  // A program may show dozens of races, and most of them in the same runs.
  struct Shown {
    std::shared_ptr<const PointSet> points;
    std::vector<Answer> answers;
    std::vector<std::string> sighted;  // SightingKeys
  };
  std::vector<Shown> shown_;
  double sightings_seconds_ = kSightingsSeconds;  // left for simpler schedules of sightings
  static constexpr double kSightingsSeconds = 4;
};

// How long a repetition of that run may go without an event (Order::hang_seconds). One that is
// known to hang is not given the whole time again: it is repeated several times.
double PatienceWith(const FailedRun& failed, const WorkerOptions& options);

FindingContext ContextOf(const Invocation& invocation, const ExploreOptions& options);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_EXAMINER_H_
