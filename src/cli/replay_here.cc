#include "cli/replay_here.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <span>
#include <string>

#include "explore/channel_end.h"
#include "explore/replay_session.h"
#include "explore/validate.h"
#include "report/finding_store.h"
#include "symbols/symbolizer.h"

namespace heddle {
namespace {

constexpr double kTick = 0.05;

// A debugger holds on to the test: it stops there by itself, and wants kernel threads.
bool IsDebugged(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("TracerPid:", 0) == 0)
      return line.find_first_of("123456789") != std::string::npos;
  }
  return false;
}

// False: the test process is gone.
bool AwaitTest(const ChannelEnd& end, TestProcess* test) {
  while (end.channel()->turn.load() != Turn::kController) {
    end.SleepWhile(end.channel()->turn.load(), kTick);
    if (end.channel()->turn.load() != Turn::kController && test->IsGone()) return false;
  }
  return true;
}

// What a run survives is named by its stacks.
bool IsSurvived(const Schedule& schedule) {
  return schedule.kind == InfoOf(FindingKind::kRace).name ||
         schedule.kind == InfoOf(FindingKind::kLockOrder).name;
}

bool IsSighted(const ChannelEnd& end, const Schedule& schedule,
               std::span<const ModuleRecord> modules) {
  const auto trace =
      CopyTrace(end.channel(), end.facts(), end.channel()->records[0], TraceParts::kEverything);
  if (!trace) return false;
  const std::unique_ptr<Symbolizer> symbols = MakeSymbolizer(modules);
  return std::any_of(trace->sightings.begin(), trace->sightings.end(), [&](const Sighting& one) {
    return BuildFinding(trace->View(), one, *symbols, {}).fingerprint == schedule.fingerprint;
  });
}

// True: it was reproduced.
bool Say(const ChannelEnd& end, const Schedule& schedule, std::span<const ModuleRecord> modules) {
  const Channel& channel = *end.channel();
  const RunRecord& record = channel.records[0];
  const bool failed = channel.failure.kind != FailureKind::kNone ||
                      (record.outcome == RunOutcome::kExited && record.status != 0);
  if (IsSurvived(schedule) ? IsSighted(end, schedule, modules) : failed) {
    fmt::print(stderr, "heddle: reproduced: {}\n", schedule.message);
    return true;
  }
  if (failed) {
    fmt::print(stderr, "heddle: the schedule was run, and it failed in another way\n");
  } else if (record.outcome == RunOutcome::kDiverged) {
    fmt::print(stderr, "heddle: the schedule does not fit at decision {}\n",
               record.diverged_at + 1);
  } else {
    fmt::print(stderr, "heddle: the schedule was run, and nothing failed\n");
  }
  return false;
}

}  // namespace

Status ReplayInTest(const std::string& file, TestProcess* test) {
  const Result<Schedule> schedule = LoadScheduleFile(file);
  if (!schedule) return schedule.error();
  const bool debugged = IsDebugged(getppid());
  WorkerOptions options;
  options.backend = debugged ? Backend::kBaton : Backend::kFiber;
  options.stop_for_debugger = debugged;
  options.points = schedule->points;
  options.timeouts = schedule->timeouts;
  options.scope = schedule->scope;
  options.isolation = schedule->isolation;
  Result<ChannelEnd> end = ChannelEnd::Make(options, -1);
  if (!end) return end.error();
  // What the run left is read when the test is gone.
  prctl(PR_SET_PDEATHSIG, 0);
  if (Status asked = test->Become(end->descriptor()); !asked) return asked;
  if (!AwaitTest(*end, test)) return {};
  const auto modules = CopyModules(*end->channel());
  const auto plan = modules ? PlanReplay(*schedule, *modules) : modules.error();
  if (modules) {
    if (Status set = end->SetScope(schedule->scope, *modules); !set) {
      fmt::print(stderr, "heddle: {}\n", set.error().text);
    }
  }
  if (!plan) {
    fmt::print(stderr, "heddle: {}\n", plan.error().text);
    end->PostQuit();
    return {};
  }
  Order order = plan->MakeOrder();
  order.detail = IsSurvived(*schedule);
  order.forget_sightings = true;
  end->Post(order);
  AwaitTest(*end, test);
  const auto loaded = CopyModules(*end->channel());
  const bool reproduced = Say(*end, *schedule, loaded ? *loaded : *modules);
  end->PostQuit(reproduced);
  return {};
}

}  // namespace heddle
