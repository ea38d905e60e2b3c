#include "reach/prefix_run.h"

#include "base/check.h"

namespace heddle::reach {

RunEnd RunWith(const Program& program, const Variant& variant, Scheme scheme, Rng& rng,
               Sequence& sequence) {
  const auto thread_count = static_cast<Index>(program.threads.size());
  sequence.Reset({.threads = thread_count, .owners = program.owners(), .scheme = scheme});
  Machine machine(&program, &sequence);
  std::size_t to_replay = variant.partners.size();
  std::vector<Step> steps;
  std::vector<Step> allowed;
  RunEnd end;
  while (true) {
    machine.RunLocal();
    steps.clear();
    machine.EnabledCompletions(steps);
    if (steps.empty()) break;
    allowed.clear();
    for (const Step& step : steps) {
      const auto received = static_cast<Index>(machine.received()[step.who].size());
      const bool is_fixed = received < variant.PartnersOf(step.who).size();
      if (to_replay > 0 && !is_fixed) continue;
      if (Allows(variant, step.who, received, step.send)) allowed.push_back(step);
    }
    if (allowed.empty()) {
      HEDDLE_CHECK(to_replay == 0);  // a variant is a prefix that the program can exercise
      end.blocked = true;
      break;
    }
    const std::size_t index = rng.Below(allowed.size());
    machine.Do(allowed[index]);
    if (to_replay > 0) --to_replay;
  }
  HEDDLE_CHECK(to_replay == 0);
  end.state = machine.Final();
  return end;
}

ExploreResult ExploreProgram(const Program& program, const ExploreOptions& options,
                             const std::function<void(const Sequence&, const RunEnd&)>& each) {
  const Scheme scheme =
      options.choose_scheme
          ? SmallerScheme(static_cast<Index>(program.threads.size()), program.owners())
          : options.scheme;
  Rng rng(options.seed);
  VariantSearch search;
  Sequence sequence;
  ExploreResult result;
  for (std::uint64_t run = 0; search.HasNext(); ++run) {
    if (run == options.most_runs) break;
    const Variant variant = search.Next();
    const RunEnd end = RunWith(program, variant, scheme, rng, sequence);
    search.Learn(variant, sequence, end.blocked);
    if (end.blocked) continue;
    if (end.state.deadlocked()) ++result.deadlocks;
    if (end.state.failed) ++result.failures;
    if (each) each(sequence, end);
  }
  result.complete = !search.HasNext();
  result.counts = search.counts();
  return result;
}

}  // namespace heddle::reach
