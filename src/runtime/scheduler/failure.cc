#include "runtime/scheduler/failure.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/made_here.h"
#include "runtime/real_time.h"
#include "runtime/scheduler/rules.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

bool failing = false;

[[noreturn]] void LeaveProcess() {
  RemoveWhatWasMade();
  if (void (*const last)() = std::exchange(engine.before_leaving, nullptr); last != nullptr) last();
  for (;;) RawSyscall(SYS_exit_group, 0);
}

RunRecord* CurrentRecord() {
  return &engine.channel->records[std::min(engine.channel->record_count, kMaxBatch - 1)];
}

}  // namespace

void SetText(char* field, std::size_t size, std::string_view text) {
  const std::size_t length = std::min(size - 1, text.size());
  std::memcpy(field, text.data(), length);
  field[length] = '\0';
}

void PublishEnd(const RunEnd& end) {
  Scheduler* const scheduler = Scheduler::Get();
  RunRecord* const record = CurrentRecord();
  if (scheduler->running_out().is_on()) {  // it was published when it was given up
    scheduler->running_out().End(engine.channel);
    record->new_sites = engine.channel->new_site_count;
    return;
  }
  scheduler->CompleteRecord();
  scheduler->recorder().Finish(record);
  record->threads = static_cast<std::uint32_t>(scheduler->thread_count());
  record->most_live = scheduler->most_live();
  record->early_timeout = scheduler->early_timeout();
  if (scheduler->has_used_clock()) LearnClockRule(*scheduler);
  record->new_sites = engine.channel->new_site_count;
  record->status = end.status;
  record->diverged_at = end.diverged_at;
  record->outcome = end.outcome;
  // Whether it is like another is asked of a run in which something was found, or that is alone.
  const bool is_one_of_many =
      end.body_returned && engine.makes_more_runs && record->new_sightings == 0;
  if (!is_one_of_many) record->event_hash = scheduler->recorder().EventHash();
  if (end.outcome == RunOutcome::kExited && scheduler->IsOvertaken()) {
    record->outcome = RunOutcome::kOvertaken;
  }
  if (engine.channel->request.measure != 0) engine.channel->run_ended = RealNanoseconds();
}

namespace {

// The others have gone on behind a failure, to their end: the record stays the failure's.
[[noreturn]] void EndGoingOn(bool is_whole) {
  Scheduler* const scheduler = Scheduler::Get();
  RunRecord* const record = CurrentRecord();
  record->class_hash = scheduler->recorder().class_hash();
  record->ran_on = is_whole ? kRanToTheEnd : kRanOnAWhile;
  scheduler->StoreThreads();
  LeaveProcess();
}

// What fails because the thread that failed first is not there any more is no failure.
void NoteLater(const Failure& failure, const Scheduler& scheduler) {
  Channel* const channel = engine.channel;
  if (channel->later_count >= kMaxLaterFailures) return;
  LaterFailure& later = channel->later[channel->later_count++];
  later.failure = failure;
  later.events = scheduler.event_count();
}

// What was at fault is known, and the memory of the process can still be trusted.
bool IsContained(const Failure& failure) {
  if (failure.before_main != 0) return false;
  switch (failure.kind) {
    case FailureKind::kAssertion:
    case FailureKind::kException:
    case FailureKind::kMisuse:
    case FailureKind::kCrash:
      return true;
    case FailureKind::kDeadlock:
      return failure.cycle_length > 0;
    default:
      return false;
  }
}

// It may wait for a thread that failed and was left behind: that is no failure of its own.
bool OnlyWaits(const Failure& failure) {
  return failure.kind == FailureKind::kLivelock || failure.kind == FailureKind::kLiveness ||
         failure.kind == FailureKind::kWatchdog ||
         (failure.kind == FailureKind::kDeadlock && failure.cycle_length == 0);
}

// Lets the others go on, if that may be. Behind the end of the process nothing is done any more.
void GoOnBehind(const Failure& failure) {
  if (engine.channel->request.run_on == 0 || !IsContained(failure)) return;
  Scheduler* const scheduler = Scheduler::Get();
  if (scheduler->has_ended()) EndGoingOn(true);
  scheduler->GoOnWithout(failure.kind == FailureKind::kDeadlock);
}

}  // namespace

void EndRun(const RunEnd& end) {
  engine.hot.active = 0;
  Scheduler::Get()->CompleteRecord();
  if (Scheduler::Get()->is_going_on()) {
    EndGoingOn(end.outcome == RunOutcome::kExited || end.outcome == RunOutcome::kOvertaken);
  }
  const bool is_given_up = Scheduler::Get()->running_out().is_on();
  PublishEnd(end);
  if (!is_given_up) Scheduler::Get()->StoreThreads();
  LeaveProcess();
}

void FailRun(const Failure& failure) {
  engine.hot.active = 0;
  Scheduler* const scheduler = Scheduler::Get();
  scheduler->CompleteRecord();
  if (scheduler->running_out().is_on()) EndRun({});
  const bool is_deadlock = failure.kind == FailureKind::kDeadlock;
  if (scheduler->is_going_on()) {
    // Another failure in the same run: the record stays the first one's.
    if (is_deadlock && failure.cycle_length == 0) EndGoingOn(true);
    NoteLater(failure, *scheduler);
    GoOnBehind(failure);
    EndGoingOn(false);
  }
  if (scheduler->parked() < engine.channel->request.parked && IsContained(failure)) {
    scheduler->Park(is_deadlock);
  }
  if (scheduler->parked() > 0 && OnlyWaits(failure)) EndRun({.outcome = RunOutcome::kExited});
  if (failing) LeaveProcess();  // the failure failed: what was published so far must do
  failing = true;
  engine.channel->failure = failure;
  CurrentRecord()->failure = failure.kind;
  PublishEnd({.outcome = RunOutcome::kFailed});
  CurrentRecord()->failure = failure.kind;
  if (scheduler->recorder().recording()) {
    scheduler->StoreThreads();
    if (engine.channel->config.stop_for_debugger != 0) {
      RawSyscall(SYS_tkill, RawSyscall(SYS_gettid), SIGTRAP);
    }
    scheduler->CaptureAllStacks();
    GoOnBehind(failure);
  }
  LeaveProcess();
}

void ReportDeadlock(Scheduler* scheduler, std::span<const ThreadId> cycle) {
  Failure failure;
  failure.kind = FailureKind::kDeadlock;
  failure.thread = scheduler->current()->id;
  failure.cycle_length =
      static_cast<std::uint32_t>(std::min(cycle.size(), std::size(failure.cycle)));
  std::copy_n(cycle.begin(), failure.cycle_length, failure.cycle);
  SetText(
      failure.message, sizeof failure.message,
      cycle.empty() ? "every thread waits for another" : "threads wait for each other in a cycle");
  engine.hot.active = 0;
  // What the program printed so far belongs to the finding; nobody is inside stdio, or it could go
  // on.
  std::fflush(nullptr);
  FailRun(failure);
}

void ReportMisuse(Scheduler* scheduler, const Object* object, std::string_view what) {
  Failure failure;
  failure.kind = FailureKind::kMisuse;
  failure.thread = scheduler->current()->id;
  failure.object = object == nullptr ? kNoObject : object->id;
  SetText(failure.message, sizeof failure.message, what);
  engine.hot.active = 0;
  std::fflush(nullptr);
  FailRun(failure);
}

// Follows "waits for a lock held by" and "waits for the end of" from a thread that has just
// blocked.
void Scheduler::CheckForCycle(Thread* thread) {
  ThreadId cycle[std::size(Failure{}.cycle)];
  std::size_t length = 0;
  Thread* at = thread;
  do {
    const PendingOp& op = pending_[at->id];
    if (at->blocked_on == nullptr || op.timed() || (at != thread && IsEnabled(at->id))) return;
    if (length == std::size(cycle)) return;
    cycle[length++] = at->id;
    ThreadId holder = kNoThread;
    if (op.kind == OpKind::kLock) holder = at->blocked_on->mutex.owner;
    if (op.kind == OpKind::kJoin) holder = at->blocked_on->thread;
    if (op.kind == OpKind::kReadLock || op.kind == OpKind::kWriteLock) {
      const RwLock& lock = *at->blocked_on->rwlock;
      holder = lock.writer;
      if (holder == kNoThread && lock.readers.size() == 1) holder = lock.readers[0];
    }
    if (holder == kNoThread) return;
    at = threads_[holder];
    if (at->ended) return;
  } while (at != thread);
  ReportDeadlock(this, {cycle, length});
}

void Scheduler::Uncontrolled(std::string_view what, std::string_view effect, std::uint64_t site) {
  for (std::uint32_t i = 0; i < channel_->uncontrolled_count && i < kMaxUncontrolled; ++i) {
    if (what == channel_->uncontrolled[i].what) {
      ++channel_->uncontrolled[i].count;
      return;
    }
  }
  if (channel_->uncontrolled_count >= kMaxUncontrolled) return;
  UncontrolledRecord& record = channel_->uncontrolled[channel_->uncontrolled_count];
  record = {};
  SetText(record.what, sizeof record.what, what);
  SetText(record.effect, sizeof record.effect, effect);
  record.site = site;
  record.count = 1;
  ++channel_->uncontrolled_count;
}

}  // namespace heddle
