#include "explore/replayer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle {
namespace {

std::string DescribeDecision(const DecisionRecord& decision) {
  return fmt::format("thread {} of {} options", decision.thread, decision.options);
}

// A hung run is cut off at no particular point: its last event is not the same twice.
bool IsCutOff(const OwnedTrace& trace) {
  return trace.record.failure == FailureKind::kWatchdog ||
         trace.record.failure == FailureKind::kMemoryLimit;
}

}  // namespace

Plan PlanOf(std::vector<Answer> answers, std::uint64_t run, std::uint64_t seed) {
  Plan plan;
  plan.run = run;
  plan.seed = seed;
  plan.prefix = std::move(answers);
  plan.policy = kTailPolicy;
  return plan;
}

OwnedTrace TraceOf(const WorkerDeath& death) {
  OwnedTrace trace;
  trace.threads.resize(1);
  trace.record.run = 1;
  trace.record.threads = 1;
  trace.record.status = death.status;
  trace.record.signal = death.signal;
  trace.record.outcome = RunOutcome::kExited;
  if (death.signal == 0) return trace;
  trace.failure = death.failure;
  if (trace.failure.kind == FailureKind::kNone) trace.failure.kind = FailureKind::kCrash;
  trace.failure.thread = kMainThread;
  trace.failure.signal = death.signal;
  trace.failure.before_main = 1;
  trace.record.outcome = RunOutcome::kFailed;
  trace.record.failure = trace.failure.kind;
  return trace;
}

Status Replayer::Ready() {
  if (worker_ != nullptr) return {};
  auto worker = WorkerProcess::Start(invocation_, options_, interrupt_);
  if (!worker) return worker.error();
  if ((*worker)->death()) {
    death_ = (*worker)->death();
    return Error{
        fmt::format("{} {} before main", invocation_.program, Describe(*(*worker)->death()))};
  }
  worker_ = std::move(*worker);
  return {};
}

Result<Reply> Replayer::Run(Order order) {
  if (Status ready = Ready(); !ready) return ready.error();
  order.runs = 1;
  order.want_events = true;
  order.forget_sightings = true;
  Reply reply = worker_->Run(order, interrupt_);
  if (reply.kind == Reply::Kind::kDone) return reply;
  worker_.reset();
  return Error{reply.text};
}

bool AreIdentical(const OwnedTrace& a, const OwnedTrace& b) {
  const RunRecord& x = a.record;
  const RunRecord& y = b.record;
  if (x.outcome != y.outcome || x.failure != y.failure) return false;
  if (IsCutOff(a)) return x.decisions == y.decisions;
  return x.event_hash == y.event_hash && x.events == y.events && x.status == y.status &&
         x.signal == y.signal && a.failure.kind == b.failure.kind &&
         a.failure.thread == b.failure.thread && a.failure.line == b.failure.line &&
         std::strcmp(a.failure.message, b.failure.message) == 0;
}

std::string FirstDifference(const OwnedTrace& recorded, const OwnedTrace& replay) {
  const std::size_t both = std::min(recorded.decisions.size(), replay.decisions.size());
  for (std::size_t i = 0; i < both; ++i) {
    const DecisionRecord& a = recorded.decisions[i];
    const DecisionRecord& b = replay.decisions[i];
    if (a.options == b.options && a.thread == b.thread && a.event == b.event && a.kind == b.kind) {
      continue;
    }
    return fmt::format(
        "the replay differs at decision {} (event {}): recorded {} before event {}, replayed {} "
        "before event {}",
        i + 1, std::min(a.event, b.event) + 1, DescribeDecision(a), a.event + 1,
        DescribeDecision(b), b.event + 1);
  }
  if (replay.record.outcome == RunOutcome::kDiverged) {
    return fmt::format("the replay differs at decision {}: the recorded answer does not fit there",
                       replay.record.diverged_at + 1);
  }
  if (recorded.decisions.size() != replay.decisions.size()) {
    return fmt::format(
        "the replay differs after decision {}: it made {} decisions, recorded were {}", both,
        replay.record.decisions, recorded.record.decisions);
  }
  return fmt::format(
      "the replay took all {} decisions the same way, but its {} events are not those of the "
      "recording ({} events)",
      both, replay.record.events, recorded.record.events);
}

}  // namespace heddle
