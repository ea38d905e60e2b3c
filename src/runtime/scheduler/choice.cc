// Who goes on: the questions that a policy or a recording answers.
#include <algorithm>
#include <bit>

#include "base/check.h"
#include "runtime/scheduler/bits.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

std::uint64_t AmongFirst64(std::span<const Option> options) {
  std::uint64_t among = 0;
  for (const Option& option : options) {
    if (option.thread < 64) among |= std::uint64_t{1} << option.thread;
  }
  return among;
}

}  // namespace

std::uint32_t Scheduler::ChooseMessage(const std::uint64_t* senders, const std::uint32_t* sends,
                                       std::uint32_t count) {
  ClearOptions();
  for (std::uint32_t i = 0; i < count; ++i) {
    options_.push_back({.thread = static_cast<ThreadId>(senders[i] - 1), .which = sends[i]});
  }
  return static_cast<std::uint32_t>(AskCurrent(DecisionKind::kWaiter));
}

ThreadId Scheduler::ChooseWaiter(Object* queue) {
  const auto waiting = queue->waiters.threads();
  if (waiting.size() == 1) return waiting[0];
  ClearOptions();
  for (const ThreadId thread : waiting) options_.push_back({.thread = thread});
  std::sort(options_.begin(), options_.end(),
            [](const Option& a, const Option& b) { return a.thread < b.thread; });
  return options_[AskCurrent(DecisionKind::kWaiter)].thread;
}

Outcome Scheduler::ChooseOutcome() {
  ClearOptions();
  options_.push_back({current_->id, Outcome::kNormal});
  options_.push_back({current_->id, Outcome::kTimeout});
  return options_[AskCurrent(DecisionKind::kOutcome)].outcome;
}

std::size_t Scheduler::AskCurrent(DecisionKind kind) {
  CompleteRecord();
  const Decision decision = {.kind = kind,
                             .options = options_,
                             .current = current_->id,
                             .step = recorder_.events(),
                             .view = &view_};
  return Ask(decision, AmongFirst64(options_), IndexOfCurrent(decision) >= 0);
}

// Enabled threads, and those whose time-out may fire now. As a set, of the first 64 threads.
std::uint64_t Scheduler::CollectOptions() {
  if (timed_count_ != 0) return CollectTimedOptions();
  if (CorrectOptions()) return enabled_[0];
  if (options_.size() != enabled_count_) options_.resize(enabled_count_);
  Option* next = options_.data();
  std::size_t first = 0;  // thread of the word
  for (const std::uint64_t word : enabled_) {
    for (std::uint64_t bits = word; bits != 0; bits &= bits - 1) {
      *next++ = {static_cast<ThreadId>(first + static_cast<unsigned>(std::countr_zero(bits)))};
    }
    first += 64;
  }
  options_are_ = enabled_.size() == 1 ? enabled_[0] : 0;
  return enabled_[0];
}

// Of many threads, as a rule one more or one fewer can go on than when they were collected last.
bool Scheduler::CorrectOptions() {
  constexpr std::uint32_t kFew = 6;  // quicker collected
  const std::uint64_t change = options_are_ ^ enabled_[0];
  if (enabled_count_ <= kFew || options_are_ == 0 || enabled_.size() != 1) return false;
  if ((change & (change - 1)) != 0) return false;
  if (change == 0) return true;
  const auto at = options_.begin() + std::popcount(options_are_ & (change - 1));
  if ((options_are_ & change) != 0) {
    options_.erase(at);
  } else {
    options_.insert(at, {static_cast<ThreadId>(std::countr_zero(change))});
  }
  options_are_ = enabled_[0];
  return true;
}

void Scheduler::ClearOptions() {
  options_.clear();
  options_are_ = 0;
}

// Whoever handled a timer's signal does something before the next one comes: otherwise a program
// might do nothing but handle them, in a run that never ends.
bool Scheduler::WaitsForIdle(const Thread& thread) const {
  if (__builtin_expect(thread.paced_by == kNoThread, 1)) return false;
  const Thread& taker = *threads_[thread.paced_by];
  const bool handles = taker.needs_attention || taker.handlers > 0;
  return !taker.ended && (handles || taker.events == taker.events_at_handlers_end);
}

std::uint64_t Scheduler::CollectTimedOptions() {
  const bool any_time = channel_->config.timeouts == Timeouts::kAny;
  ClearOptions();
  for (std::size_t word = 0; word < enabled_.size(); ++word) {
    const std::uint64_t enabled = enabled_[word];
    std::uint64_t bits = enabled | (any_time ? timed_[word] : 0);
    for (; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(bits));
      const auto thread = static_cast<ThreadId>(word * 64 + bit);
      const bool is_enabled = (enabled >> bit & 1) != 0;
      if (!is_enabled && enabled_count_ > 0 && WaitsForIdle(*threads_[thread])) continue;
      options_.push_back({thread, is_enabled ? Outcome::kNormal : Outcome::kTimeout});
    }
  }
  if (!options_.empty()) return AmongFirst64(options_);
  // Nobody can go on but by time: the earliest deadline comes first.
  std::uint64_t earliest = ~std::uint64_t{0};
  for (const Thread* thread : threads_) {
    if (RunView::Has(timed_, thread->id)) earliest = std::min(earliest, thread->deadline);
  }
  for (const Thread* thread : threads_) {
    if (RunView::Has(timed_, thread->id) && thread->deadline == earliest) {
      options_.push_back({thread->id, Outcome::kTimeout});
    }
  }
  return AmongFirst64(options_);
}

ThreadId Scheduler::FirstDue() const {
  if (timed_count_ == 0) return kNoThread;
  const Thread* first = nullptr;
  for (std::size_t word = 0; word < timed_.size(); ++word) {
    for (std::uint64_t bits = timed_[word]; bits != 0; bits &= bits - 1) {
      const Thread* const thread =
          threads_[word * 64 + static_cast<unsigned>(std::countr_zero(bits))];
      if (enabled_count_ > 0 && WaitsForIdle(*thread)) continue;
      if (first == nullptr || thread->deadline < first->deadline) first = thread;
    }
  }
  return first == nullptr ? kNoThread : first->id;
}

// Whoever has not started yet comes first: before anybody gets on, all threads that exist have
// shown what they do first. Otherwise one that is forgotten by its creator might never be seen.
Thread* Scheduler::PickEager() {
  std::size_t found = next_to_start_;
  if (found < threads_.size()) {
    ++next_to_start_;  // it does start now
    if (next_to_start_ < threads_.size()) threads_[next_to_start_]->shell->Expect();
  } else {
    std::size_t word = 0;
    while (eager_[word] == 0) ++word;
    found = word * 64 + static_cast<unsigned>(std::countr_zero(eager_[word]));
  }
  Thread* const thread = threads_[found];
  SetEager(thread->id, false);
  thread->granted = Outcome::kNormal;
  return thread;
}

Thread* Scheduler::PickAmong() {
  if (!awaiting_.empty()) ReconsiderAwaits();
  if (eager_count_ > 0) {
    CompleteRecord();
    return PickEager();
  }
  Option chosen;
  if (enabled_count_ == 1 && timed_count_ == 0 && IsEnabled(current_->id)) {
    chosen = {current_->id, Outcome::kNormal};  // nobody else: no question
  } else {
    CompleteRecord();
    // Between the rounds of a rehearsal nothing was done that anybody outside could answer.
    const bool rehearses = current_->awaits && current_->spin.is_rehearsing();
    if (enabled_count_ == 0 && !rehearses) {
      if (timed_count_ == 0 && IsOvertaken()) GiveUp(RunOutcome::kOvertaken);
      if (enabled_count_ == 0) AwaitOutside();
      if (eager_count_ > 0) return PickEager();
    }
    const std::uint64_t among = CollectOptions();
    if (options_.empty() && !awaiting_.empty()) {
      if (Thread* const next = RoundAgain(); next != nullptr) return next;
      ReportLivelock(*awaiting_.front());
    }
    if (options_.empty()) ReportDeadlock(this, {});
    std::size_t index = 0;
    if (options_.size() > 1) {
      view_.first_due = FirstDue();
      index = Ask({.kind = DecisionKind::kThread,
                   .options = options_,
                   .current = chosen_->id,
                   .step = recorder_.events(),
                   .view = &view_},
                  among, IsEnabled(chosen_->id));
      view_.first_due = kNoThread;
    }
    chosen = options_[index];
  }
  Thread* const next = threads_[chosen.thread];
  chosen_ = next;
  next->granted = chosen.outcome;
  if (chosen.outcome == Outcome::kTimeout) {
    AdvanceTo(next->deadline);
    if (enabled_count_ > 0 || threads_[FirstDue()]->deadline < next->deadline) {
      early_timeout_ = true;
    }
  }
  return next;
}

std::size_t Scheduler::Ask(const Decision& decision, std::uint64_t among, bool continues) {
  HEDDLE_CHECK(policy_ != nullptr);  // before the run there is one thread and no decision
  if (__builtin_expect(running_out_.is_on(), 0)) return RunningOut::Choose(decision);
  if (__builtin_expect(recorder_.decisions() == checkpoint_at_, 0)) LeaveCheckpoint();
  int index = replay_.Answer(decision, *this);
  if (replay_.diverged()) EndRun({.outcome = RunOutcome::kDiverged, .diverged_at = replay_.at()});
  if (index < 0) {
    const std::size_t chosen = policy_->Choose(decision);
    if (chosen == Policy::kAbandon) {
      GiveUp(RunOutcome::kBlocked);
      return RunningOut::Choose(decision);
    }
    index = static_cast<int>(chosen);
  }
  HEDDLE_CHECK(static_cast<std::size_t>(index) < decision.options.size());
  if (policy_watches_) policy_->Answered(decision, static_cast<std::size_t>(index));
  recorder_.Add(decision, static_cast<std::size_t>(index), among, continues);
  return static_cast<std::size_t>(index);
}

}  // namespace heddle
