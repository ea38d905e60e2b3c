#include "reach/brute_force.h"

#include <string>
#include <unordered_set>
#include <utility>

#include "reach/machine.h"

namespace heddle::reach {

AllSequences BruteForce(const Program& program, std::size_t most_states) {
  AllSequences all;
  std::unordered_set<std::string> seen;
  std::vector<Machine> stack;
  stack.emplace_back(&program, nullptr);
  std::vector<Step> steps;
  while (!stack.empty()) {
    Machine machine = std::move(stack.back());
    stack.pop_back();
    steps.clear();
    machine.EnabledLocal(steps);
    machine.EnabledCompletions(steps);
    if (steps.empty()) {
      std::vector<Index> identity;
      for (const std::vector<SendName>& list : machine.received()) {
        identity.push_back(static_cast<Index>(list.size()));
        for (const SendName& name : list) {
          identity.push_back(name.thread);
          identity.push_back(name.number);
        }
      }
      const FinalState state = machine.Final();
      const auto [at, is_new] = all.ends.emplace(std::move(identity), state);
      if (!is_new && !(at->second == state)) all.ambiguous = true;
      continue;
    }
    for (const Step& step : steps) {
      Machine next = machine;
      next.Do(step);
      if (!seen.insert(next.StateText()).second) continue;
      if (seen.size() > most_states) {
        all.too_many = true;
        return all;
      }
      stack.push_back(std::move(next));
    }
  }
  return all;
}

}  // namespace heddle::reach
