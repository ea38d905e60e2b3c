// Reading a strategy's parameters, which the registry has validated.
#ifndef HEDDLE_STRATEGY_PARAMS_H_
#define HEDDLE_STRATEGY_PARAMS_H_

#include <charconv>
#include <cstdint>
#include <string>

#include "strategy/strategy.h"

namespace heddle {

inline std::uint64_t NumberParam(const StrategyParams& params, const char* key,
                                 std::uint64_t otherwise) {
  const auto found = params.find(key);
  if (found == params.end()) return otherwise;
  std::uint64_t number = otherwise;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
  return number;
}

inline bool SwitchParam(const StrategyParams& params, const char* key, bool otherwise) {
  const auto found = params.find(key);
  return found == params.end() ? otherwise : found->second == "on";
}

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_PARAMS_H_
