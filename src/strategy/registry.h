// The one list of strategies: the command line, its help, the docs and the contract test read it.
#ifndef HEDDLE_STRATEGY_REGISTRY_H_
#define HEDDLE_STRATEGY_REGISTRY_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "strategy/strategy.h"

namespace heddle {

struct StrategyParam {
  std::string_view key;
  std::string_view values;  // "on|off", "1..100"
  std::string_view meaning;
};

struct StrategyInfo {
  std::string_view name;
  std::string_view summary;  // one line, for help and docs
  std::span<const StrategyParam> params;
  bool exhaustive;  // says when nothing is left
  // It tries every order of a loop's reads and what they wait for, so a thread that has gone round
  // for nothing need not be let go on in the same run (scheduler/loops.h).
  bool waits_once = false;
  bool samples = false;  // its runs are random draws: what it is worth can be said in numbers
  std::unique_ptr<Search> (*make_search)(const SearchOptions&);
  std::unique_ptr<Policy> (*make_policy)();
  // Why these parameters, each valid, do not go together; empty = they do.
  std::string (*check)(const StrategyParams&) = nullptr;
};

// Strategies() lists what users may ask for; FindStrategy also finds internal rows.
std::span<const StrategyInfo> Strategies();
const StrategyInfo* FindStrategy(std::string_view name);

// A strategy as the user wrote it: "pct:depth=3".
struct StrategySpec {
  const StrategyInfo* info = nullptr;
  StrategyParams params;
};
// An unknown name suggests the nearest; an unknown key lists the known ones.
Result<StrategySpec> ParseStrategy(std::string_view text);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_REGISTRY_H_
