#include "explore/regressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "base/hash.h"
#include "explore/examiner.h"
#include "explore/judge.h"
#include "explore/replay_session.h"
#include "explore/replayer.h"
#include "explore/temporary.h"
#include "report/files.h"
#include "report/finding_store.h"

namespace heddle {
namespace fs = std::filesystem;
namespace {

constexpr char kExtension[] = ".heddle";

ExploreOptions OptionsFor(const Schedule& schedule, const ExploreOptions& search) {
  ExploreOptions options = search;
  options.strategy_text = schedule.strategy;
  options.seed = schedule.seed;
  options.worker.points = schedule.points;
  options.worker.timeouts = schedule.timeouts;
  options.worker.scope = schedule.scope;
  options.worker.isolation = schedule.isolation;
  return options;
}

// What the schedule shows, if that is something a run survives and this one saw it.
const Sighting* SightedIn(const Reply& reply, const Schedule& schedule, FailureNamer* namer) {
  for (const Sighting& sighting : reply.trace->sightings) {
    const Finding seen = BuildFinding(reply.trace->View(), sighting, namer->symbols(), {});
    if (seen.fingerprint == schedule.fingerprint) return &sighting;
  }
  return nullptr;
}

Explored::Found FoundIn(const Reply& reply, const Sighting* sighting, const std::string& file,
                        const Schedule& schedule, const Invocation& invocation,
                        const ExploreOptions& options, FailureNamer* namer) {
  FindingContext context = ContextOf(invocation, options);
  context.output = reply.output;
  context.first_run = schedule.run;
  context.replayed = true;
  Explored::Found found;
  const RunTrace view = reply.trace->View();
  found.finding = sighting != nullptr ? BuildFinding(view, *sighting, namer->symbols(), context)
                                      : BuildFinding(view, namer->symbols(), context);
  found.finding.id = file;
  found.schedule = schedule;
  return found;
}

// One file; adds to `result` what came of it.
Status ReplayOne(const std::string& file, const Schedule& schedule, const Invocation& invocation,
                 const ExploreOptions& search, const std::string& temporary,
                 const std::atomic<bool>& interrupt, RegressionReplay* result) {
  const ExploreOptions options = OptionsFor(schedule, search);
  WorkerOptions worker = options.worker;
  worker.temporary = temporary;
  Replayer replayer(invocation, worker, &interrupt);
  if (Status ready = replayer.Ready(); !ready) return ready;
  const Result<ReplayPlan> plan = PlanReplay(schedule, replayer.modules());
  if (!plan) {
    result->notes.push_back(fmt::format("{}: {}", file, plan.error().text));
    return {};
  }
  Order order = plan->MakeOrder();
  order.detail = true;
  const Result<Reply> reply = replayer.Run(order);
  if (!reply) return reply.error();
  ++result->replayed;
  const RunRecord& record = reply->trace->record;
  FailureNamer namer(ContextOf(invocation, options));
  namer.UseModules(replayer.modules());
  const Sighting* const sighting = SightedIn(*reply, schedule, &namer);
  const bool failed = JudgeRun(record, reply->output, {}) != Verdict::kPassed &&
                      record.outcome != RunOutcome::kDiverged;
  if (failed || sighting != nullptr) {
    result->found.push_back(
        FoundIn(*reply, failed ? nullptr : sighting, file, schedule, invocation, options, &namer));
    return {};
  }
  if (!plan->resolved.unresolved.empty()) {
    result->notes.push_back(
        fmt::format("{}: this build has no more {}, where the schedule switches; record it again "
                    "or remove it",
                    file, plan->resolved.unresolved.front()));
  } else if (record.outcome == RunOutcome::kDiverged) {
    result->notes.push_back(
        fmt::format("{}: the schedule no longer fits at decision {}; record it again or remove it",
                    file, record.diverged_at + 1));
  }
  return {};
}

// A name that any file system takes.
std::string Slug(const std::string& text) {
  std::string slug;
  for (const char c : text.substr(text.rfind('/') + 1)) {
    slug += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ? c : '.';
  }
  return slug;
}

}  // namespace

Result<std::vector<std::string>> ScheduleFilesIn(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  if (!fs::exists(directory, error)) return files;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == kExtension) files.push_back(at->path().string());
  }
  if (error) return SystemError(directory, "can't be read", error.value());
  std::sort(files.begin(), files.end());
  return files;
}

Result<RegressionReplay> ReplayRegressions(const std::vector<std::string>& files,
                                           const Invocation& invocation,
                                           const ExploreOptions& options,
                                           const std::atomic<bool>& interrupt) {
  Result<TemporaryDirectory> temporary = TemporaryDirectory::Make();
  if (!temporary) return temporary.error();
  RegressionReplay result;
  for (const std::string& file : files) {
    if (interrupt) break;
    const Result<Schedule> schedule = LoadScheduleFile(file);
    if (!schedule) {
      result.notes.push_back(schedule.error().text);
      continue;
    }
    if (schedule->explore != invocation.explore) continue;
    Status replayed = ReplayOne(file, *schedule, invocation, options, temporary->path() + "/0000",
                                interrupt, &result);
    if (!replayed) return replayed.error();
  }
  return result;
}

Result<std::string> SaveRegression(const std::string& directory, const Explored::Found& found) {
  if (Status made = MakeDirectories(directory); !made) return made.error();
  Schedule schedule = found.schedule;
  std::error_code ignored;
  schedule.program = fs::proximate(schedule.program, ignored).string();
  const std::string path =
      fmt::format("{}/{}-{}-{:06x}{}", directory, Slug(schedule.explore), schedule.kind,
                  HashText(schedule.fingerprint) & 0xffffff, kExtension);
  if (Status written = WriteFileAtomically(path, FormatSchedule(schedule)); !written) {
    return written.error();
  }
  return path;
}

}  // namespace heddle
