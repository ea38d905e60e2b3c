// Whether a run failed, and as what: one worker's runs against what the user expects.
#ifndef HEDDLE_EXPLORE_JUDGE_H_
#define HEDDLE_EXPLORE_JUDGE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explore/validate.h"
#include "report/finding.h"
#include "symbols/symbolizer.h"

namespace heddle {

struct Expectations {
  int exit_status = 0;
  std::optional<std::uint64_t> output;  // its hash
};

// As far as it is kept of a run.
std::optional<std::uint64_t> HashOfOutput(const std::optional<std::string>& output);

enum class Verdict : std::uint8_t { kPassed, kFailed, kWrongOutput };

Verdict JudgeRun(const RunRecord& record, const std::string& output, const Expectations& expected);

// What a recording lacks that was too long: "… 1234 bytes that came later are missing".
std::string MissingInput(std::uint64_t bytes);

// The same for every worker: by the code on both sides, whichever came first.
std::string SightingKey(const Sighting& sighting, std::span<const ModuleRecord> modules);

// Names failures of one worker; remembers what it has symbolized. Not thread-safe.
class FailureNamer {
 public:
  explicit FailureNamer(FindingContext context) : context_(std::move(context)) {}

  // Addresses from now on are of these modules.
  void UseModules(std::span<const ModuleRecord> modules);

  std::string Fingerprint(const OwnedTrace& trace, Verdict verdict);
  // "a.cpp:12" of a return address; empty when unknown.
  std::string Location(std::uint64_t return_address);
  Symbolizer& symbols() { return *symbols_; }

 private:
  FindingContext context_;
  std::vector<ModuleRecord> modules_;
  std::unique_ptr<Symbolizer> symbols_;
  std::map<std::uint64_t, std::string> fingerprints_;  // by hash of what a fingerprint is made of
  std::map<std::uint64_t, std::string> locations_;
};

inline constexpr char kOutputFingerprint[] = "output";

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_JUDGE_H_
