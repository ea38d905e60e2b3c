#include "explore/ledger.h"

#include <algorithm>
#include <utility>

namespace heddle {

void Ledger::Enter(RunResult result) {
  const RunRecord& record = result.record;
  if (now_.runs + voided_ == 0) first_record_ = record;
  ++now_.runs;
  now_.events += record.events;
  switch (record.outcome) {
    case RunOutcome::kBlocked:
      ++now_.blocked;
      break;
    case RunOutcome::kStepLimit:
      ++now_.step_limited;
      break;
    case RunOutcome::kDiverged:
      ++now_.diverged;
      break;
    case RunOutcome::kNone:
    case RunOutcome::kExited:
    case RunOutcome::kFailed:
      classes_.Add(record.class_hash);
      break;
  }
  if (!result.failed) return;
  const auto known =
      std::find_if(failures_.begin(), failures_.end(), [&result](const Failing& failing) {
        return failing.first.fingerprint == result.failed->fingerprint;
      });
  if (known != failures_.end()) {
    ++known->hits;
    // An adaptive search with several workers hears of them in any order.
    if (result.failed->plan.run < known->first.plan.run) known->first = std::move(*result.failed);
    return;
  }
  failures_.push_back({.first = std::move(*result.failed)});
}

void Ledger::StartAnew(bool void_runs) {
  ++restarts_;
  classes_ = ClassCounter();
  if (!void_runs) return;
  voided_ += now_.runs;
  now_ = Counts();
}

}  // namespace heddle
