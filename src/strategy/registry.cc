#include "strategy/registry.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <vector>

#include "strategy/auto.h"
#include "strategy/backtrack.h"
#include "strategy/basic_pos.h"
#include "strategy/bounded.h"
#include "strategy/dfs.h"
#include "strategy/nonpreemptive.h"
#include "strategy/optimal_dpor.h"
#include "strategy/pct.h"
#include "strategy/pos.h"
#include "strategy/random.h"
#include "strategy/rapos.h"
#include "strategy/reachability.h"
#include "strategy/reachability_policy.h"
#include "strategy/road.h"
#include "strategy/surw.h"
#include "strategy/urw.h"

namespace heddle {
namespace {

constexpr StrategyParam kPctParams[] = {
    {.key = "depth", .values = "1..100", .meaning = "one more than the preemptions; default 3"},
    {.key = "k", .values = "1..1000000000", .meaning = "length of a run; measured unless given"},
    {.key = "classic", .values = "on|off", .meaning = "the textbook's form; default off"},
};
constexpr StrategyParam kPosParams[] = {
    {.key = "read-relaxed", .values = "on|off", .meaning = "two reads do not race; default on"},
};
// The engine's, for all strategies that try everything: a loop that only waits is then run round by
// round (docs/systematic.md).
constexpr StrategyParam kAwait = {
    .key = "await",
    .values = "on|off",
    .meaning = "busy waiting once per outcome, or once per round; default on"};
constexpr StrategyParam kSystematicParams[] = {kAwait};
constexpr StrategyParam kPcbParams[] = {
    {.key = "bound", .values = "0..1000", .meaning = "most preemptions in a run; default 2"},
    kAwait,
};
constexpr StrategyParam kDelayParams[] = {
    {.key = "bound", .values = "0..1000", .meaning = "most delays in a run; default 2"},
    kAwait,
};
constexpr StrategyParam kHapsetParams[] = {
    {.key = "over", .values = "dpor|pcb", .meaning = "what is guided; default dpor"},
    {.key = "bound", .values = "0..1000", .meaning = "of over=pcb: most preemptions; default 2"},
    {.key = "learn",
     .values = "0..1000000",
     .meaning = "random runs to learn from first; default 0"},
    {.key = "ctx",
     .values = "0..100",
     .meaning = "call sites that tell statements apart; default 5"},
    kAwait,
};

constexpr StrategyParam kReachabilityParams[] = {
    {.key = "show",
     .values = "0..1000000000",
     .meaning = "a run to print with race sets, race table and diagram"},
    {.key = "check", .values = "on|off", .meaning = "notes every sequence and counts repetitions"},
};

constexpr StrategyInfo kListed[] = {
    {.name = "auto",
     .summary = "tries everything if that fits the budget, else samplers that share the runs",
     .params = {},
     .exhaustive = false,
     .samples = true,
     .make_search = MakeAutoSearch,
     .make_policy = MakeRandomPolicy},
    {.name = "random",
     .summary = "random walk: every runnable thread is equally likely at every step",
     .params = {},
     .exhaustive = false,
     .samples = true,
     .make_search = MakeRandomSearch,
     .make_policy = MakeRandomPolicy},
    {.name = "pct",
     .summary = "random thread priorities that change at depth-1 random places",
     .params = kPctParams,
     .exhaustive = false,
     .samples = true,
     .make_search = MakePctSearch,
     .make_policy = MakePctPolicy},
    {.name = "basic-pos",
     .summary = "a random priority for every operation",
     .params = {},
     .exhaustive = false,
     .samples = true,
     .make_search = MakeBasicPosSearch,
     .make_policy = MakeBasicPosPolicy},
    {.name = "pos",
     .summary = "partial order sampling: a random priority for every operation, new after a race",
     .params = kPosParams,
     .exhaustive = false,
     .samples = true,
     .make_search = MakePosSearch,
     .make_policy = MakePosPolicy},
    {.name = "rapos",
     .summary = "random batches of independent operations",
     .params = {},
     .exhaustive = false,
     .samples = true,
     .make_search = MakeRaposSearch,
     .make_policy = MakeRaposPolicy},
    {.name = "urw",
     .summary = "uniform random walk: every interleaving is equally likely",
     .params = {},
     .exhaustive = false,
     .samples = true,
     .make_search = MakeUrwSearch,
     .make_policy = MakeUrwPolicy},
    {.name = "surw",
     .summary = "uniform over the orders of the operations on one object, drawn per run",
     .params = {},
     .exhaustive = false,
     .samples = true,
     .make_search = MakeSurwSearch,
     .make_policy = MakeSurwPolicy},
    {.name = "dfs",
     .summary = "every interleaving once, depth first; says when nothing is left",
     .params = kSystematicParams,
     .exhaustive = true,
     .waits_once = true,
     .make_search = MakeDfsSearch,
     .make_policy = MakeNonPreemptivePolicy},
    {.name = "reachability",
     .summary = "every order in which locks, semaphores, monitors and ports serve threads, once",
     .params = kReachabilityParams,
     .exhaustive = true,
     .make_search = MakeReachabilitySearch,
     .make_policy = MakeReachabilityPolicy},
    {.name = "baseline",
     .summary = "every option wherever the order of two events matters; says when nothing is left",
     .params = kSystematicParams,
     .exhaustive = true,
     .waits_once = true,
     .make_search = MakeBaselineSearch,
     .make_policy = MakeNonPreemptivePolicy},
    {.name = "pcb",
     .summary = "every interleaving with at most so many preemptions, those with fewest first",
     .params = kPcbParams,
     .exhaustive = true,
     .make_search = MakePcbSearch,
     .make_policy = MakeNonPreemptivePolicy},
    {.name = "delay",
     .summary = "every interleaving with at most so many delays, those with fewest first",
     .params = kDelayParams,
     .exhaustive = true,
     .make_search = MakeDelaySearch,
     .make_policy = MakeNonPreemptivePolicy},
    {.name = "dpor",
     .summary =
         "dynamic partial order reduction: at least one run per class; says when nothing is left",
     .params = kSystematicParams,
     .exhaustive = true,
     .waits_once = true,
     .make_search = MakeDporSearch,
     .make_policy = MakeNonPreemptivePolicy},
    {.name = "optimal-dpor",
     .summary = "one run per class of equivalent interleavings; says when nothing is left",
     .params = kSystematicParams,
     .exhaustive = true,
     .waits_once = true,
     .make_search = MakeOptimalDporSearch,
     .make_policy = MakeRoadPolicy},
    {.name = "hapset",
     .summary = "dpor or pcb, only where two statements have not been seen in that order",
     .params = kHapsetParams,
     .exhaustive = false,
     .make_search = MakeHapsetSearch,
     .make_policy = MakeNonPreemptivePolicy,
     .check = HapsetParamsError},
};

// Used by the explorer itself; not for users.
constexpr StrategyInfo kInternal[] = {
    {.name = "nonpreemptive",
     .summary = "one run in which a thread goes on as long as it can",
     .params = {},
     .exhaustive = false,
     .make_search = MakeNonPreemptiveSearch,
     .make_policy = MakeNonPreemptivePolicy},
};

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * columns);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return cost[i * columns + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      const std::size_t replaced = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({replaced, at(i - 1, j) + 1, at(i, j - 1) + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return cost.back();
}

std::string Quoted(std::string_view text) { return std::string("'").append(text).append("'"); }

Error UnknownStrategy(std::string_view name) {
  const StrategyInfo* nearest = nullptr;
  std::size_t least = 0;
  std::string known;
  for (const StrategyInfo& info : kListed) {
    const std::size_t distance = EditDistance(name, info.name);
    if (nearest == nullptr || distance < least) {
      nearest = &info;
      least = distance;
    }
    if (!known.empty()) known += ", ";
    known += info.name;
  }
  std::string text = "unknown strategy " + Quoted(name);
  // A word that shares less than half of its letters with any name is not a slip of the finger.
  if (least <= std::max<std::size_t>(name.size() / 2, 1)) {
    text += "; did you mean " + Quoted(nearest->name) + "?";
  } else {
    text += ".";
  }
  return Error{text + " Known strategies: " + known};
}

Error UnknownKey(const StrategyInfo& info, std::string_view key) {
  std::string text =
      std::string("strategy ") + Quoted(info.name) + " has no parameter " + Quoted(key);
  if (info.params.empty()) return Error{text + "; it takes none"};
  text += "; it takes ";
  for (std::size_t i = 0; i < info.params.size(); ++i) {
    if (i > 0) text += ", ";
    text.append(info.params[i].key).append("=").append(info.params[i].values);
  }
  return Error{text};
}

std::optional<std::uint64_t> WholeNumber(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// `values` is a range of whole numbers, "1..100", or words separated by '|'.
bool IsValid(std::string_view values, std::string_view value) {
  if (const std::size_t dots = values.find(".."); dots != std::string_view::npos) {
    const std::optional<std::uint64_t> number = WholeNumber(value);
    return number && *number >= *WholeNumber(values.substr(0, dots)) &&
           *number <= *WholeNumber(values.substr(dots + 2));
  }
  while (true) {
    const std::size_t bar = values.find('|');
    if (values.substr(0, bar) == value) return true;
    if (bar == std::string_view::npos) return false;
    values.remove_prefix(bar + 1);
  }
}

const StrategyInfo* FindIn(std::span<const StrategyInfo> rows, std::string_view name) {
  for (const StrategyInfo& info : rows) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace

std::span<const StrategyInfo> Strategies() { return kListed; }

const StrategyInfo* FindStrategy(std::string_view name) {
  const StrategyInfo* const listed = FindIn(kListed, name);
  return listed != nullptr ? listed : FindIn(kInternal, name);
}

Result<StrategySpec> ParseStrategy(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  StrategySpec spec;
  spec.info = FindIn(kListed, name);
  if (spec.info == nullptr) return UnknownStrategy(name);
  if (colon == std::string_view::npos) return spec;

  std::string_view rest = text.substr(colon + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return Error{"strategy parameter " + Quoted(item) +
                   " has no value; write it as key=value, for instance 'pct:depth=3'"};
    }
    const std::string_view key = item.substr(0, equals);
    const std::string_view value = item.substr(equals + 1);
    const StrategyParam* known = nullptr;
    for (const StrategyParam& param : spec.info->params) {
      if (param.key == key) known = &param;
    }
    if (known == nullptr) return UnknownKey(*spec.info, key);
    if (!IsValid(known->values, value)) {
      return Error{"strategy parameter " + Quoted(key) + " can't be " + Quoted(value) + "; it is " +
                   std::string(known->values)};
    }
    if (!spec.params.emplace(key, value).second) {
      return Error{"strategy parameter " + Quoted(key) + " is given twice; give it once"};
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (spec.info->check != nullptr) {
    std::string wrong = spec.info->check(spec.params);
    if (!wrong.empty()) return Error{std::move(wrong)};
  }
  return spec;
}

}  // namespace heddle
