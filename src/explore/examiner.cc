#include "explore/examiner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "explore/endless_loop.h"
#include "explore/shrink.h"

namespace heddle {
namespace {

WorkerOptions ReplayOptions(const ExploreOptions& options, std::string temporary) {
  WorkerOptions worker = options.worker;
  worker.temporary = std::move(temporary);
  return worker;
}

std::string Blame(const std::vector<Uncontrolled>& uncontrolled) {
  if (uncontrolled.empty()) {
    return "nothing uncontrolled was seen in the program, so this counts as a bug of heddle";
  }
  const Uncontrolled& first = uncontrolled.front();
  return fmt::format("the program does what heddle does not control: {}{}{}", first.what,
                     first.site.empty() ? "" : " at ", first.site);
}

}  // namespace

double PatienceWith(const FailedRun& failed, const WorkerOptions& options) {
  constexpr double kLeast = 1;
  constexpr double kShare = 0.2;
  if (failed.trace.failure.kind != FailureKind::kWatchdog) return 0;
  return std::min(options.hang_seconds, std::max(kLeast, kShare * options.hang_seconds));
}

FindingContext ContextOf(const Invocation& invocation, const ExploreOptions& options) {
  FindingContext context;
  context.invocation = invocation;
  context.search = {.strategy = options.strategy_text,
                    .seed = options.seed,
                    .backend = options.worker.backend,
                    .points = options.worker.points,
                    .timeouts = options.worker.timeouts,
                    .reuse = options.worker.reuse,
                    .max_steps = options.worker.max_steps,
                    .memory_bytes = options.worker.memory_bytes,
                    .expected_exit = options.expected_exit,
                    .expected_output = HashOfOutput(options.expected_output),
                    .isolation = options.worker.isolation,
                    .scope = options.worker.scope};
  return context;
}

Examiner::Examiner(const Invocation& invocation, const ExploreOptions& options,
                   std::string temporary, const std::atomic<bool>* interrupt)
    : invocation_(invocation),
      options_(options),
      expected_{.exit_status = options.expected_exit,
                .output = HashOfOutput(options.expected_output)},
      replayer_(invocation, ReplayOptions(options, std::move(temporary)), interrupt),
      namer_(ContextOf(invocation, options)) {}

std::optional<Reply> Examiner::Repeat(const Plan& plan, bool detail) {
  if (!replayer_.Ready()) return std::nullopt;
  const std::vector<SiteRef> sites = points_->For(replayer_.modules());
  auto reply = replayer_.Run({.plan = &plan,
                              .sites = sites,
                              .input = input_,
                              .detail = detail,
                              .parked = parked_,
                              .want_output = options_.expected_output.has_value(),
                              .hang_seconds = hang_seconds_});
  if (!reply || !replayer_.Ready()) return std::nullopt;
  namer_.UseModules(replayer_.modules());
  return std::move(*reply);
}

const Sighting* Examiner::SightedIn(const OwnedTrace& trace,
                                    std::span<const ModuleRecord> modules) const {
  for (const Sighting& sighting : trace.sightings) {
    if (SightingKey(sighting, modules) == fingerprint_) return &sighting;
  }
  return nullptr;
}

bool Examiner::IsSameFailure(const Reply& reply) {
  if (is_sighting_) return SightedIn(*reply.trace, replayer_.modules()) != nullptr;
  const Verdict verdict = JudgeRun(reply.records.back(), reply.output, expected_);
  return verdict != Verdict::kPassed && namer_.Fingerprint(*reply.trace, verdict) == fingerprint_;
}

std::string Examiner::DescribeCutOff(const Plan& plan, std::shared_ptr<const PointSet> points) {
  points_ = std::move(points);
  input_ = {};
  parked_ = 0;
  const std::optional<Reply> reply = Repeat(plan, false);
  if (!reply || reply->records.back().outcome != RunOutcome::kStepLimit) return {};
  return DescribeLoop(reply->trace->View(), namer_.symbols());
}

const std::vector<Answer>* Examiner::ShownBefore() const {
  if (!is_sighting_ || !input_.empty()) return nullptr;
  for (const Shown& shown : shown_) {
    const bool has_it =
        std::find(shown.sighted.begin(), shown.sighted.end(), fingerprint_) != shown.sighted.end();
    if (shown.points == points_ && has_it) return &shown.answers;
  }
  return nullptr;
}

std::vector<Answer> Examiner::Simplify(const FailedRun& failed, FindingContext* context) {
  std::vector<Answer> answers = AnswersOf(failed.trace.View());
  const Plan without_preemption = PlanOf({}, failed.plan.run, failed.plan.seed);
  auto reference = Repeat(without_preemption, false);
  // Fed from the log, but not on its road: what it was told may be what never comes in that order.
  const bool is_real =
      reference && (input_.empty() || std::ranges::equal(reference->trace->input, input_));
  if (is_real && IsSameFailure(*reference)) {
    context->schedule_dependent = false;
    return AnswersOf(reference->trace->View());
  }
  if (const std::vector<Answer>* const shown = ShownBefore(); shown != nullptr) return *shown;
  if (options_.shrink_runs <= 0 || !replayer_.Ready()) return answers;
  ShrinkOptions shrink{.sites = points_->For(replayer_.modules()),
                       .modules = {replayer_.modules().begin(), replayer_.modules().end()},
                       .most_runs = options_.shrink_runs};
  if (is_sighting_) shrink.seconds = std::min(shrink.seconds, sightings_seconds_);
  const auto attempt = [this](const Order& order) -> std::optional<OwnedTrace> {
    Order fed = order;
    fed.input = input_;
    fed.parked = parked_;
    fed.hang_seconds = hang_seconds_;
    auto reply = replayer_.Run(fed);
    if (!reply || !replayer_.Ready()) return std::nullopt;
    namer_.UseModules(replayer_.modules());
    if (!IsSameFailure(*reply)) return std::nullopt;
    return std::move(*reply->trace);
  };
  const double started = MonotonicSeconds();
  std::vector<Answer> simple = Shrink(failed.plan, std::move(answers), shrink, attempt);
  if (is_sighting_) sightings_seconds_ -= MonotonicSeconds() - started;
  return simple;
}

Explored::Found Examiner::Build(const OwnedTrace& trace, std::span<const ModuleRecord> modules,
                                const std::vector<SiteRef>& sites, FindingContext context,
                                const Failing& failing) {
  namer_.UseModules(modules);
  Explored::Found found;
  const RunTrace view = trace.View();
  const Sighting* const sighting = is_sighting_ ? SightedIn(trace, modules) : nullptr;
  found.finding = sighting != nullptr ? BuildFinding(view, *sighting, namer_.symbols(), context)
                                      : BuildFinding(view, namer_.symbols(), context);
  found.finding.hits = failing.hits;
  if (failing.first.wrong_output) {
    found.finding.kind = FindingKind::kOutput;
    found.finding.fingerprint = kOutputFingerprint;
    found.finding.message = "the program printed something else than expected";
  }
  if (parked_ > 0) {
    found.finding.message += "; before it another thread fails, and does not go on from there";
  }
  found.schedule = MakeSchedule(view, namer_.symbols(), sites, found.finding);
  found.schedule.parked = parked_;
  return found;
}

std::optional<Failing> Examiner::MakeFirst(const Failing& later) {
  const FailedRun& run = later.first;
  if (auto alone = MakeFirst(later, run.plan, 0)) return alone;
  return MakeFirst(later, PlanOf(AnswersOf(run.trace.View()), run.plan.run, run.plan.seed),
                   run.parked);
}

std::optional<Failing> Examiner::MakeFirst(const Failing& later, const Plan& plan,
                                           std::uint32_t parked) {
  points_ = later.first.points;
  input_ = later.first.trace.input;
  parked_ = parked;
  std::optional<Reply> reply = Repeat(plan, false);
  if (!reply || JudgeRun(reply->records.back(), reply->output, expected_) != Verdict::kFailed) {
    return std::nullopt;
  }
  const Failure& wanted = later.first.trace.failure;
  const Failure& seen = reply->trace->failure;
  if (seen.kind != wanted.kind || seen.line != wanted.line ||
      std::string_view(seen.message) != wanted.message) {
    return std::nullopt;
  }
  Failing failing = later;
  failing.first.is_later = false;
  failing.first.plan = plan;
  failing.first.parked = parked;
  failing.first.fingerprint = namer_.Fingerprint(*reply->trace, Verdict::kFailed);
  failing.first.modules.assign(replayer_.modules().begin(), replayer_.modules().end());
  failing.first.output = std::move(reply->output);
  failing.first.trace = std::move(*reply->trace);
  return failing;
}

Explored::Found Examiner::Examine(const Failing& failing,
                                  const std::vector<Uncontrolled>& uncontrolled) {
  const FailedRun& failed = failing.first;
  fingerprint_ = failed.fingerprint;
  points_ = failed.points;
  input_ = failed.trace.input;
  parked_ = failed.parked;
  is_sighting_ = failed.is_sighting;
  hang_seconds_ = PatienceWith(failed, options_.worker);
  FindingContext context = ContextOf(invocation_, options_);
  context.output = failed.output;
  context.first_run = failed.plan.run;

  // A recording that lost answers is repeated from its plan, which is as exact.
  const bool is_whole = failed.trace.decisions.size() == failed.trace.record.decisions;
  const Plan original =
      is_whole ? PlanOf(AnswersOf(failed.trace.View()), failed.plan.run, failed.plan.seed)
               : failed.plan;
  const std::optional<Reply> replay = Repeat(original, true);
  context.replayed = replay && AreIdentical(failed.trace, *replay->trace);
  if (!context.replayed) {
    context.replay_note = fmt::format(
        "{}; {}",
        replay ? FirstDifference(failed.trace, *replay->trace) : "it could not be run again",
        failed.trace.input_missing > 0 ? MissingInput(failed.trace.input_missing)
                                       : Blame(uncontrolled));
    return Build(failed.trace, failed.modules, failed.points->For(failed.modules),
                 std::move(context), failing);
  }

  const std::vector<ModuleRecord> modules(replayer_.modules().begin(), replayer_.modules().end());
  const std::vector<Answer> simpler = is_whole ? Simplify(failed, &context) : original.prefix;
  if (simpler != original.prefix) {
    const Plan plan = PlanOf(simpler, failed.plan.run, failed.plan.seed);
    const std::optional<Reply> shown = Repeat(plan, true);
    if (shown && IsSameFailure(*shown)) {
      context.output = shown->output;
      if (is_sighting_ && ShownBefore() == nullptr) {
        Shown known = {points_, simpler, {}};
        for (const Sighting& one : shown->trace->sightings) {
          known.sighted.push_back(SightingKey(one, replayer_.modules()));
        }
        shown_.push_back(std::move(known));
      }
      return Build(*shown->trace, replayer_.modules(), points_->For(replayer_.modules()),
                   std::move(context), failing);
    }
  }
  return Build(*replay->trace, modules, points_->For(modules), std::move(context), failing);
}

}  // namespace heddle
