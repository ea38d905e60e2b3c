#include "simulate/sample.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "strategy/registry.h"

namespace heddle::simulate {
namespace {

struct Prepared {
  Plan plan;  // the next run's; all that follow differ in their number only
  std::unique_ptr<Policy> policy;
};

Prepared Prepare(const Program& program, const SampleOptions& options) {
  const Result<StrategySpec> spec = ParseStrategy(options.strategy);
  HEDDLE_CHECK(spec.ok());
  const std::unique_ptr<Search> search =
      spec->info->make_search({.seed = options.seed, .params = spec->params});
  Machine machine(program, {.stop_at_failure = options.stop_at_failure});
  while (!search->Independent()) {
    const std::optional<Plan> plan = search->Next();
    HEDDLE_CHECK(plan.has_value());
    const std::unique_ptr<Policy> policy = FindStrategy(plan->policy)->make_policy();
    machine.Run(*plan, *policy);
    search->Learn(*plan, machine.Trace());
  }
  return {.plan = *search->Next(), .policy = spec->info->make_policy()};
}

// How often each hash came, in a table with free places between them: a run is counted in less time
// than it takes to draw one of its numbers.
class Tally {
 public:
  void Add(std::uint64_t hash) {
    Place& place = Find(hash);
    if (place.count++ != 0) return;
    place.hash = hash;
    if (++used_ * 2 > places_.size()) Grow();
  }
  std::map<std::uint64_t, std::uint64_t> Counts() const {
    std::map<std::uint64_t, std::uint64_t> counts;
    for (const Place& place : places_) {
      if (place.count != 0) counts.emplace(place.hash, place.count);
    }
    return counts;
  }

 private:
  struct Place {
    std::uint64_t hash = 0;
    std::uint64_t count = 0;  // 0 = free
  };

  Place& Find(std::uint64_t hash) {
    const std::size_t mask = places_.size() - 1;
    std::size_t at = hash & mask;
    while (places_[at].count != 0 && places_[at].hash != hash) at = (at + 1) & mask;
    return places_[at];
  }
  void Grow() {
    const std::vector<Place> old = std::exchange(places_, std::vector<Place>(places_.size() * 2));
    for (const Place& place : old) {
      if (place.count != 0) Find(place.hash) = place;
    }
  }

  std::vector<Place> places_ = std::vector<Place>(1024);  // a power of two
  std::size_t used_ = 0;
};

}  // namespace

void ForEachSample(const Program& program, const SampleOptions& options, bool keep_records,
                   const std::function<void(const RunRecord&, const Machine&)>& visit) {
  Prepared prepared = Prepare(program, options);
  Machine machine(program,
                  {.stop_at_failure = options.stop_at_failure, .keep_records = keep_records});
  for (std::uint64_t i = 0; i < options.runs; ++i, ++prepared.plan.run) {
    visit(machine.Run(prepared.plan, *prepared.policy), machine);
  }
}

SampleCounts Sample(const Program& program, const SampleOptions& options) {
  SampleCounts counts;
  counts.runs = options.runs;
  Tally classes;
  ForEachSample(program, options, /*keep_records=*/false,
                [&](const RunRecord& run, const Machine&) {
                  counts.failures += run.failure != FailureKind::kNone ? 1 : 0;
                  counts.events += run.events;
                  if (options.count_classes) classes.Add(run.class_hash);
                });
  counts.classes = classes.Counts();
  return counts;
}

}  // namespace heddle::simulate
