// Which findings count: suppressions, a baseline of known ones, and the kinds that fail.
#ifndef HEDDLE_CLI_TRIAGE_H_
#define HEDDLE_CLI_TRIAGE_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/seen.h"
#include "explore/explorer.h"
#include "report/baseline.h"
#include "report/suppressions.h"

namespace heddle {

// As typed.
struct TriageWords {
  std::string suppressions;
  std::string baseline;
  bool update_baseline = false;
  std::string fail_on;
};

class Triage {
 public:
  // Errors are wrong usage, or files that can't be read.
  static Result<Triage> Make(const TriageWords& words);

  bool IsSuppressed(const Finding& finding) const {
    return suppressions_ && suppressions_->Match(finding);
  }

  // Whether a search has to see all failures, whatever counts: those that a baseline knows and that
  // did not come are said to have vanished.
  bool NeedsAllFailures() const { return !words_.baseline.empty(); }

  // Whether there may be failures that do not count: they must not end a search, or what counts
  // would stay hidden behind them.
  bool MayPassOverFailures() const;
  // Of a failure; what is known is not asked.
  bool Counts(const Finding& failure) const;

  // A race that a library orders, perhaps, whose synchronisation is not seen, is only a warning.
  static void Doubt(const Seen& seen, Explored* explored);

  // Takes out what is suppressed and marks what is known.
  void Sift(Explored* explored) const;

  // That, and says what has vanished; writes the baseline when that was asked for. Of several
  // searches: once for all of them.
  Status Apply(Explored* explored) const;

  // Whether any of the findings is a reason for exit code 1.
  bool Fails(const Explored& explored) const;

 private:
  TriageWords words_;
  std::optional<Suppressions> suppressions_;
  std::optional<Baseline> baseline_;
  std::optional<std::set<FindingKind>> fail_on_;
};

}  // namespace heddle

#endif  // HEDDLE_CLI_TRIAGE_H_
