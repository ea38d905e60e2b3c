#include "report/steps.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <optional>
#include <utility>

#include "report/failure_text.h"
#include "report/lock_owners.h"
#include "report/waits.h"

namespace heddle {
namespace {

// Small numbers as such, with a sign; the rest (pointers mostly) in hexadecimal.
std::string FormatValue(std::uint64_t value, int size) {
  const int bits = size >= 8 || size <= 0 ? 64 : size * 8;
  const std::int64_t number = static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;
  if (number > -kLarge && number < kLarge) return std::to_string(number);
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string FormatFloating(std::uint64_t value, int size) {
  if (size != sizeof(float) && size != sizeof(double)) return FormatValue(value, size);
  const double number = size == sizeof(float)
                            ? std::bit_cast<float>(static_cast<std::uint32_t>(value))
                            : std::bit_cast<double>(value);
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

bool Has(const Event& event, std::uint8_t flag) { return (event.flags & flag) != 0; }

// "sleep", "clock": what it acts on goes without saying.
bool SaysItself(const Event& event) {
  return event.kind == OpKind::kSleep || event.kind == OpKind::kClock ||
         event.kind == OpKind::kTime || event.kind == OpKind::kEnd;
}

// Whom a wake-up reached.
std::string WakeNote(const Event& event, const RunNames& names) {
  if (IsAtomic(event.kind)) return "";
  if (event.other != kNoThread) return "wakes " + names.Thread(event.other);
  const bool tells = event.kind == OpKind::kSignal || event.kind == OpKind::kBroadcast;
  if (!tells || !Has(event, Event::kHasValue)) return "";
  return event.value == 0 ? "nobody waits" : "wakes " + std::to_string(event.value);
}

bool MayBlock(OpKind kind) {
  switch (kind) {
    case OpKind::kLock:
    case OpKind::kWait:
    case OpKind::kWake:
    case OpKind::kSemWait:
    case OpKind::kFutexWait:
    case OpKind::kOnce:
    case OpKind::kJoin:
    case OpKind::kSleep:
    case OpKind::kReadLock:
    case OpKind::kWriteLock:
    case OpKind::kBarrierLeave:
    case OpKind::kTimedJoin:
    case OpKind::kSigWait:
    case OpKind::kSend:
    case OpKind::kReceive:
    case OpKind::kPoll:
    case OpKind::kLook:
    case OpKind::kEpollWait:
    case OpKind::kFileLock:
    case OpKind::kSemOp:
      return true;
    default:
      return false;
  }
}

constexpr std::size_t kNearSwitch = 12;  // operations

class StepBuilder {
 public:
  StepBuilder(const RunTrace& trace, const RunNames& names) : trace_(trace), names_(names) {
    next_of_thread_.resize(trace.threads.size());
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      next_of_thread_[trace.events[i].thread].push_back(i);
    }
  }

  std::vector<Step> Build() {
    AddEvents(trace_.events.size(), {});
    AddFailure();
    return std::move(steps_);
  }

  std::vector<Step> BuildUpTo(const std::vector<std::uint32_t>& fault) {
    std::size_t end = 0;
    for (const std::uint32_t event : fault) end = std::max<std::size_t>(end, event + 1u);
    AddEvents(std::min(end, trace_.events.size()), fault);
    return std::move(steps_);
  }

 private:
  void AddEvents(std::size_t end, const std::vector<std::uint32_t>& fault) {
    std::vector<bool> kept = ChooseEvents();
    for (const std::uint32_t event : fault) {
      if (event < kept.size()) kept[event] = true;
    }
    for (std::size_t i = 0; i < end; ++i) {
      if (trace_.events[i].kind == OpKind::kStart) continue;
      ++number_;
      if (kept[i]) AddEvent(i);
      if (std::find(fault.begin(), fault.end(), i) != fault.end()) steps_.back().is_failure = true;
      previous_ = trace_.events[i].thread;
      previous_exited_ = trace_.events[i].kind == OpKind::kExit;
    }
  }

  // All of a run of ordinary length. Of a longer one what lies near switches, which is what a
  // reader looks for; of an extreme one the beginning and the end of that.
  std::vector<bool> ChooseEvents() const {
    const std::size_t count = trace_.events.size();
    std::vector<bool> kept(count, true);
    if (count <= kMostSteps) return kept;
    std::size_t begin = 0, left = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool ends = i + 1 == count || trace_.events[i + 1].thread != trace_.events[i].thread;
      if (!ends) continue;
      for (std::size_t k = begin + kNearSwitch; k + kNearSwitch <= i; ++k) kept[k] = false;
      left += std::min(i + 1 - begin, 2 * kNearSwitch);
      begin = i + 1;
    }
    const std::size_t head = kMostSteps / 4, tail = kMostSteps - head;
    std::size_t seen = 0;
    for (std::size_t i = 0; i < count && left > kMostSteps; ++i) {
      if (!kept[i]) continue;
      ++seen;
      if (seen > head && seen + tail <= left) kept[i] = false;
    }
    return kept;
  }

  void AddEvent(std::size_t index) {
    const Event& event = trace_.events[index];
    Step step;
    step.number = number_;
    step.thread = event.thread;
    step.kind = event.kind;
    step.value = ValueOf(event, names_);
    const bool about_thread = event.kind == OpKind::kCreate || event.kind == OpKind::kJoin ||
                              event.kind == OpKind::kDetach;
    if (about_thread) {
      step.object = event.other == kNoThread ? "" : names_.Thread(event.other);
    } else if (event.kind != OpKind::kExit && event.kind != OpKind::kProcessExit) {
      step.object = SaysItself(event) ? "" : names_.ObjectOf(index);
      step.note = WakeNote(event, names_);
    }
    SetPlace(names_.Place(names_.StackOf(index)), &step);
    SetSwitch(static_cast<std::uint32_t>(index), &step);
    NoteWaiterChoice(static_cast<std::uint32_t>(index), &step);
    steps_.push_back(std::move(step));
  }

  static void SetPlace(const Frame& place, Step* step) {
    if (step->kind == OpKind::kExit) return;  // where the library ends threads interests nobody
    if (place.is_system && step->kind == OpKind::kProcessExit) return;  // main returned
    step->function = place.function;
    if (place.is_system) return;
    step->file = place.file;
    step->line = place.line;
  }

  // The decision right before an event, if there was a question: the last of that kind, but one
  // about the thread that ran before tells most.
  std::optional<DecisionRecord> DecisionBefore(std::uint32_t event, DecisionKind kind) const {
    std::optional<DecisionRecord> last;
    auto at = std::lower_bound(
        trace_.decisions.begin(), trace_.decisions.end(), event,
        [](const DecisionRecord& decision, std::uint32_t e) { return decision.event < e; });
    for (; at != trace_.decisions.end() && at->event == event; ++at) {
      if (at->kind != kind) continue;
      if (!last || last->current != previous_) last = *at;
    }
    return last;
  }

  void SetSwitch(std::uint32_t event, Step* step) {
    const std::optional<DecisionRecord> decision = DecisionBefore(event, DecisionKind::kThread);
    const bool times_out =
        decision && decision->thread == step->thread && decision->outcome == Outcome::kTimeout;
    if (previous_ == kNoThread || (previous_ == step->thread && !times_out)) return;
    step->from = previous_;
    if (times_out) {
      step->reason = SwitchReason::kTimeout;
    } else if (previous_exited_) {
      step->reason = SwitchReason::kExited;
    } else if (decision && decision->current == previous_ && decision->current_enabled) {
      step->reason = SwitchReason::kPreempted;
    } else {
      const PendingOp op = NextOf(previous_, event);
      if (!MayBlock(op.kind)) return;
      step->reason = SwitchReason::kBlocked;
      step->reason_detail = Awaited(trace_, names_, op);
    }
  }

  // What a thread had announced when the event happened.
  PendingOp NextOf(ThreadId thread, std::uint32_t event) const {
    const std::vector<std::size_t>& events = next_of_thread_[thread];
    const auto next = std::upper_bound(events.begin(), events.end(), event);
    // Who waits for a condition is told it takes the mutex again; until then it waits for the
    // signal.
    if (next != events.begin() && trace_.events[*(next - 1)].kind == OpKind::kWait) {
      return {.object = trace_.events[*(next - 1)].object, .kind = OpKind::kWait};
    }
    if (next == events.end()) return trace_.threads[thread].pending;
    const Event& later = trace_.events[*next];
    return {.site = later.site, .object = later.object, .kind = later.kind};
  }

  // A waiter is chosen while its event is being carried out, so right before it or right after.
  void NoteWaiterChoice(std::uint32_t event, Step* step) {
    for (const std::uint32_t at : {event, event + 1}) {
      const std::optional<DecisionRecord> decision = DecisionBefore(at, DecisionKind::kWaiter);
      if (!decision || decision->current != step->thread) continue;
      if (!IsWrite(step->kind) || MayBlock(step->kind)) continue;
      step->note = "wakes " + names_.Thread(decision->thread) + ", chosen of " +
                   std::to_string(decision->options) + " waiters";
      return;
    }
  }

  void AddFailure() {
    if (trace_.record.outcome != RunOutcome::kFailed) {
      if (trace_.record.outcome == RunOutcome::kExited) AddExit();
      return;
    }
    if (trace_.failure.kind == FailureKind::kDeadlock) {
      for (const ThreadId thread : DeadlockedThreads(trace_)) AddPending(thread);
      return;
    }
    Step step;
    step.number = number_ + 1;
    step.thread = trace_.failure.thread < trace_.threads.size() ? trace_.failure.thread
                                                                : ThreadId{kMainThread};
    step.note = FailureHeadline(trace_);
    step.is_failure = true;
    SetPlace(FailurePlace(trace_, names_), &step);
    if (previous_ != step.thread) step.from = previous_;
    steps_.push_back(std::move(step));
  }

  void AddExit() {
    Step step;
    step.number = number_ + 1;
    step.note = FailureHeadline(trace_);
    step.is_failure = true;
    steps_.push_back(std::move(step));
  }

  void AddPending(ThreadId thread) {
    const PendingOp& op = trace_.threads[thread].pending;
    Step step;
    step.number = number_ + 1;
    step.thread = thread;
    step.kind = op.kind;
    const ThreadId joined = JoinedBy(trace_, op);
    step.object = joined == kNoThread ? names_.Object(op.object) : names_.Thread(joined);
    step.note = "blocked";
    step.is_failure = true;
    step.never_done = true;
    SetPlace(names_.Place(names_.StackOfThread(thread)), &step);
    steps_.push_back(std::move(step));
  }

  const RunTrace& trace_;
  const RunNames& names_;
  std::vector<std::vector<std::size_t>> next_of_thread_;  // event indexes by thread
  std::vector<Step> steps_;
  std::uint64_t number_ = 0;
  ThreadId previous_ = kNoThread;
  bool previous_exited_ = false;
};

}  // namespace

std::string ValueOf(const Event& event, const RunNames& names) {
  switch (event.kind) {
    case OpKind::kSignal:
    case OpKind::kBroadcast:
      return "";  // the number of waiters: told by the note
    case OpKind::kFutexWake:
      return "";  // how many at most
    case OpKind::kOnce:
      return Has(event, Event::kFailed) ? "(done already)" : "";
    default:
      break;
  }
  if (Has(event, Event::kTimedOut)) return "timed out";
  std::string value;
  if (Has(event, Event::kHasValue)) {
    const bool is_floating = names.IsFloatingPoint(event.object);
    value = "= " + (is_floating ? FormatFloating(event.value, event.size)
                                : FormatValue(event.value, event.size));
  }
  if (!Has(event, Event::kFailed)) return value;
  return event.kind == OpKind::kAtomicRmw ? value + " (lost)" : "failed";
}

std::vector<Step> StepsOf(const RunTrace& trace, const RunNames& names) {
  return StepBuilder(trace, names).Build();
}

std::vector<Step> StepsOf(const RunTrace& trace, const RunNames& names,
                          const std::vector<std::uint32_t>& fault) {
  return StepBuilder(trace, names).BuildUpTo(fault);
}

}  // namespace heddle
