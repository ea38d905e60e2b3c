#include "simulate/sample.h"

#include <memory>
#include <unordered_map>
#include <utility>

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
  std::unordered_map<std::uint64_t, std::uint64_t> classes;
  ForEachSample(program, options, /*keep_records=*/false,
                [&](const RunRecord& run, const Machine&) {
                  counts.failures += run.failure != FailureKind::kNone ? 1 : 0;
                  counts.events += run.events;
                  if (options.count_classes) ++classes[run.class_hash];
                });
  counts.classes = {classes.begin(), classes.end()};
  return counts;
}

}  // namespace heddle::simulate
