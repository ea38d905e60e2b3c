// What a body may say to heddle while it runs.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "heddle/explore_abi.h"
#include "runtime/engine.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"

using heddle::Scheduler;

HEDDLE_EXPORT void heddle_fail(const char* file, unsigned line, const char* function,
                               const char* message) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return;
  heddle::Failure failure;
  failure.kind = heddle::FailureKind::kAssertion;
  failure.thread = scheduler->current()->id;
  failure.line = line;
  heddle::SetText(failure.file, sizeof failure.file, file);
  heddle::SetText(failure.function, sizeof failure.function, function);
  heddle::SetText(failure.message, sizeof failure.message, message);
  heddle::FailRun(failure);
}

HEDDLE_EXPORT void heddle_skip(const char* why) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return;
  if (scheduler->is_over()) heddle::EndRun({.outcome = heddle::RunOutcome::kExited});
  heddle::Channel* const channel = heddle::engine.channel;
  channel->search_report.is_skipped = 1;
  heddle::SetText(channel->failure.message, sizeof channel->failure.message, why);
  heddle::EndRun({.outcome = heddle::RunOutcome::kExited});
}

HEDDLE_EXPORT void heddle_outcome(const char* text, std::size_t size) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr || !scheduler->recorder().recording()) return;
  heddle::Channel* const channel = heddle::engine.channel;
  // Runs that are not the search's do not count.
  const heddle::SearchReport& report = channel->search_report;
  if (report.warming_up != 0 || report.leaks_state != 0) return;
  if (scheduler->running_out().is_on()) return;
  std::string_view wanted(text, std::min(size, sizeof heddle::OutcomeRecord::text - 1));
  const std::uint32_t count = std::min(channel->outcome_count, heddle::kMaxOutcomes);
  std::uint32_t at = 0;
  while (at < count && wanted != channel->outcomes[at].text) ++at;
  if (at >= heddle::kMaxOutcomes - 1) {  // the last place is for all that have none
    wanted = heddle::kOtherOutcomes;
    at = heddle::kMaxOutcomes - 1;
  }
  if (at < count) {
    ++channel->outcomes[at].count;
    return;
  }
  heddle::OutcomeRecord& record = channel->outcomes[channel->outcome_count++];
  record.count = 1;
  heddle::SetText(record.text, sizeof record.text, wanted);
}
