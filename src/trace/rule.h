// What becomes a scheduling point once a run has shown that it matters, or somebody asks for it,
// and is no place in the code. Learnt like accesses that turn out to be shared (SiteRef), told to
// every later run, and kept in schedules.
#ifndef HEDDLE_TRACE_RULE_H_
#define HEDDLE_TRACE_RULE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle {

enum class Rule : std::uint32_t {
  kClock,   // reading the clock: a thread reads it while time passes for another one
  kEnds,    // ends of threads: somebody asks whether one has ended, without waiting for it
  kOutput,  // printing: what the program prints is looked at (--expect-output)
};

// As in schedule files.
inline constexpr std::string_view kRuleNames[] = {"clock", "ends", "output"};
inline constexpr std::uint32_t kRuleCount = sizeof kRuleNames / sizeof kRuleNames[0];

constexpr std::string_view NameOf(Rule rule) {
  return kRuleNames[static_cast<std::uint32_t>(rule)];
}
constexpr std::optional<Rule> RuleByName(std::string_view name) {
  for (std::uint32_t i = 0; i < kRuleCount; ++i) {
    if (kRuleNames[i] == name) return static_cast<Rule>(i);
  }
  return std::nullopt;
}

}  // namespace heddle

#endif  // HEDDLE_TRACE_RULE_H_
