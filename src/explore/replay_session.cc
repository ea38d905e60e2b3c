#include "explore/replay_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "explore/children.h"
#include "explore/judge.h"
#include "explore/replayer.h"
#include "explore/temporary.h"

namespace heddle {
namespace {

// One replay, judged.
struct Judgement {
  ReplayStatus status = ReplayStatus::kReproduced;
  bool is_identical = false;
  std::string detail;
  std::string kind;
};

// The source line of the decision at which a replay left its recording, when it is known.
std::string PlaceOf(const OwnedTrace& trace, FailureNamer* namer) {
  if (trace.events.empty()) return "";
  const std::string place = namer->Location(trace.events.back().site);
  return place.empty() ? "" : fmt::format(", after {}", place);
}

Judgement Judge(const Reply& reply, const Schedule& schedule, const Expectations& expected,
                const ResolvedSchedule& resolved, FailureNamer* namer) {
  const OwnedTrace& trace = *reply.trace;
  const RunRecord& record = trace.record;
  Judgement judgement;
  if (record.outcome == RunOutcome::kDiverged) {
    judgement.status = ReplayStatus::kDiverged;
    judgement.detail =
        fmt::format("the schedule does not fit at decision {} (event {}{})", record.diverged_at + 1,
                    record.events + 1, PlaceOf(trace, namer));
    return judgement;
  }
  for (const Sighting& sighting : trace.sightings) {
    const Finding seen = BuildFinding(trace.View(), sighting, namer->symbols(), {});
    if (seen.fingerprint != schedule.fingerprint) continue;
    judgement.kind = schedule.kind;
    judgement.is_identical = record.event_hash == schedule.event_hash;
    return judgement;
  }
  const Verdict verdict = JudgeRun(record, reply.output, expected);
  if (verdict == Verdict::kPassed) {
    const bool should_fail = !schedule.kind.empty();
    judgement.status = should_fail ? ReplayStatus::kPassed : ReplayStatus::kReproduced;
    judgement.is_identical = !should_fail && record.event_hash == schedule.event_hash;
    if (record.outcome == RunOutcome::kStepLimit) {
      judgement.status = ReplayStatus::kDiverged;
      judgement.detail = fmt::format("it was cut off after {} events", record.events);
    } else if (!resolved.unresolved.empty()) {
      judgement.status = ReplayStatus::kDiverged;
      judgement.detail = fmt::format("this build has no more {}, where the schedule switches",
                                     resolved.unresolved.front());
    }
    return judgement;
  }
  const std::string fingerprint = namer->Fingerprint(trace, verdict);
  judgement.kind = InfoOf(BuildFinding(trace.View(), namer->symbols(), {}).kind).name;
  if (fingerprint == schedule.fingerprint) {
    judgement.kind = schedule.kind;
    judgement.is_identical = record.event_hash == schedule.event_hash;
    return judgement;
  }
  judgement.status = ReplayStatus::kDiverged;
  judgement.detail = fmt::format("it fails in another way ({})", judgement.kind);
  return judgement;
}

// The program ended before main, as it may have done when it was recorded: no schedule, one try.
Replayed JudgeDeath(const WorkerDeath& death, const StoredFinding& stored, int expected_exit) {
  const OwnedTrace trace = TraceOf(death);
  const std::unique_ptr<Symbolizer> symbols = MakeSymbolizer({});
  FindingContext context;
  context.search = stored.finding.search;
  Replayed result;
  result.replays = 1;
  result.output = death.output;
  const bool failed = death.signal != 0 || death.status != expected_exit;
  const bool same =
      failed && FingerprintOf(trace.View(), *symbols, context) == stored.schedule.fingerprint;
  result.identical = same ? 1 : 0;
  result.kind = same ? stored.schedule.kind : "";
  if (!same) {
    result.status = ReplayStatus::kDiverged;
    result.detail = fmt::format("the program {} before main", Describe(death));
  }
  return result;
}

bool IsWorse(ReplayStatus a, ReplayStatus b) { return static_cast<int>(a) > static_cast<int>(b); }

}  // namespace

std::string_view NameOf(ReplayStatus status) {
  switch (status) {
    case ReplayStatus::kReproduced:
      return "reproduced";
    case ReplayStatus::kPassed:
      return "passed";
    case ReplayStatus::kDiverged:
      return "diverged";
  }
  return "";
}

Order ReplayPlan::MakeOrder() const {
  return {.plan = &plan,
          .sites = resolved.sites,
          .anchors = resolved.anchors,
          .ranges = resolved.ranges,
          .input = input,
          .point_ranges = resolved.point_ranges,
          .parked = parked};
}

Result<ReplayPlan> PlanReplay(const Schedule& schedule, std::span<const ModuleRecord> modules) {
  const std::unique_ptr<Symbolizer> symbols = MakeSymbolizer(modules);
  Result<ResolvedSchedule> resolved = Resolve(schedule, *symbols);
  if (!resolved) return resolved.error();
  ReplayPlan replay;
  replay.plan = PlanOf(resolved->answers, std::max<std::uint64_t>(1, schedule.run), schedule.seed);
  replay.resolved = std::move(*resolved);
  replay.input = schedule.input;
  replay.parked = schedule.parked;
  return replay;
}

Result<Replayed> ReplaySchedule(const StoredFinding& stored, const Invocation& invocation,
                                const ReplayOptions& options, const std::atomic<bool>& interrupt) {
  Result<TemporaryDirectory> temporary = TemporaryDirectory::Make();
  if (!temporary) return temporary.error();
  WorkerOptions worker = options.worker;
  worker.temporary = temporary->path() + "/0000";
  Replayer replayer(invocation, worker, &interrupt);
  if (Status ready = replayer.Ready(); !ready) {
    if (!replayer.death()) return ready.error();
    return JudgeDeath(*replayer.death(), stored, options.expected_exit);
  }
  const Result<ReplayPlan> plan = PlanReplay(stored.schedule, replayer.modules());
  if (!plan) return plan.error();

  FindingContext context;
  context.invocation = invocation;
  context.search = stored.finding.search;
  FailureNamer namer(context);
  const Expectations expected{.exit_status = options.expected_exit,
                              .output = options.expected_output};

  // What a run survives is named by its stacks.
  const bool needs_stacks = stored.schedule.kind == InfoOf(FindingKind::kRace).name ||
                            stored.schedule.kind == InfoOf(FindingKind::kLockOrder).name;
  Replayed result;
  result.same_build = plan->resolved.same_build;
  result.unresolved = plan->resolved.unresolved;
  for (std::uint64_t i = 0; i < options.times && !interrupt; ++i) {
    Order order = plan->MakeOrder();
    order.detail = needs_stacks;
    order.want_output = options.expected_output.has_value();
    const Result<Reply> reply = replayer.Run(order);
    if (!reply) return reply.error();
    namer.UseModules(replayer.modules());
    Judgement judgement = Judge(*reply, stored.schedule, expected, plan->resolved, &namer);
    if (judgement.status == ReplayStatus::kDiverged && stored.schedule.input_missing > 0) {
      judgement.detail += "; " + MissingInput(stored.schedule.input_missing);
    }
    ++result.replays;
    result.identical += judgement.is_identical ? 1 : 0;
    if (i == 0 || IsWorse(judgement.status, result.status)) {
      result.status = judgement.status;
      result.detail = judgement.detail;
      result.kind = judgement.kind;
      result.output = reply->output;
    }
  }
  EndOrphans();
  return result;
}

}  // namespace heddle
