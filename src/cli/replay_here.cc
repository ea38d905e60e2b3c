#include "cli/replay_here.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "explore/channel_end.h"
#include "explore/replay_session.h"
#include "report/finding_store.h"

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

void Say(const Channel& channel, const Schedule& schedule) {
  const RunRecord& record = channel.records[0];
  if (channel.failure.kind != FailureKind::kNone) {
    fmt::print(stderr, "heddle: reproduced: {}\n", schedule.message);
  } else if (record.outcome == RunOutcome::kDiverged) {
    fmt::print(stderr, "heddle: the schedule does not fit at decision {}\n",
               record.diverged_at + 1);
  } else {
    fmt::print(stderr, "heddle: the schedule was run, and nothing failed\n");
  }
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
  end->Post(plan->MakeOrder());
  AwaitTest(*end, test);
  Say(*end->channel(), *schedule);
  end->PostQuit();
  return {};
}

}  // namespace heddle
