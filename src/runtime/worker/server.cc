#include "runtime/worker/server.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "base/check.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/real.h"
#include "runtime/memory/modules.h"
#include "runtime/memory/prefork.h"
#include "runtime/memory/sites.h"
#include "runtime/scheduler/focus.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/switch/shell.h"
#include "runtime/worker/scratch.h"
#include "strategy/registry.h"
#include "trace/call_sites.h"

namespace heddle {
namespace {

constexpr std::uint32_t kFirstShells = 4;
constexpr std::uint32_t kMostShells = 512;
constexpr int kSpins = 2000;

bool served = false;
// What set-up before the first run has read and printed belongs to every run.
long input_start = 0, output_start = 0;

bool Passed(const RunRecord& record) {
  return record.outcome == RunOutcome::kExited && record.signal == 0 && record.status == 0;
}

}  // namespace

void GiveTurn(Channel* channel) {
  channel->turn.store(Turn::kController, std::memory_order_release);
  RawSyscall(SYS_futex, reinterpret_cast<long>(&channel->turn), FUTEX_WAKE, INT_MAX);
}

void AwaitTurn(Channel* channel) {
  for (int i = 0; channel->turn.load(std::memory_order_acquire) != Turn::kWorker; ++i) {
    if (i < kSpins) continue;
    RawSyscall(SYS_futex, reinterpret_cast<long>(&channel->turn), FUTEX_WAIT,
               static_cast<long>(Turn::kController));
  }
}

void SetUpChild(Channel* channel) {
  RawSyscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (RawSyscall(SYS_getppid) != channel->worker_pid.load(std::memory_order_relaxed)) {
    RawSyscall(SYS_exit_group, 0);
  }
  RawSyscall(SYS_lseek, STDIN_FILENO, input_start, SEEK_SET);
  Shells::Forked();
}

void CompleteRecord(Channel* channel, RunRecord* record, int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    record->signal = WTERMSIG(wait_status);
  } else if (WIFEXITED(wait_status) && record->outcome == RunOutcome::kExited) {
    // The run may publish before the last exit handler: what the system saw counts.
    record->status = WEXITSTATUS(wait_status);
  } else if (WIFEXITED(wait_status) && record->outcome == RunOutcome::kNone) {
    // It left behind our back: with a raw system call, or by becoming another program.
    record->outcome = RunOutcome::kExited;
    record->status = WEXITSTATUS(wait_status);
    record->events = channel->heartbeat.load(std::memory_order_relaxed);
    record->decisions = channel->decision_count;
    record->threads = channel->thread_count;
  }
  const long end = RawSyscall(SYS_lseek, channel->config.output_fd, 0, SEEK_CUR);
  record->output_bytes = end > 0 ? static_cast<std::uint32_t>(end) : 0;
}

// True in the child.
static bool MakeOneRun(Channel* channel, RunRecord* record, std::uint64_t number) {
  *record = RunRecord();
  record->run = number;
  channel->failure = Failure();
  channel->later_count = 0;
  channel->run_now.store(number, std::memory_order_relaxed);
  RawSyscall(SYS_lseek, channel->config.output_fd, output_start, SEEK_SET);
  const pid_t child = real::_Fork();
  if (child == 0) {
    SetUpChild(channel);
    engine.scheduler->BeginRun();
    return true;
  }
  if (child < 0) {
    record->outcome = RunOutcome::kNone;
    record->signal = 0;
    return false;
  }
  channel->run_pid.store(child, std::memory_order_release);
  int status = 0;
  while (RawSyscall(SYS_wait4, child, reinterpret_cast<long>(&status), 0, 0) == -EINTR) {
  }
  channel->run_pid.store(0, std::memory_order_release);
  CompleteRecord(channel, record, status);
  return false;
}

void ConfigureSites(Channel* channel) {
  const Request& request = channel->request;
  const Layout layout = LayoutFor(channel->config.max_events);
  const auto* const ranges = AreaOf<CodeRange>(channel, layout.ranges);
  Focus::Configure(channel);
  Sites::Configure({AreaOf<SiteRef>(channel, layout.sites), request.site_count},
                   {ranges, request.point_ranges});
}

bool MakeRunsInChildren(Channel* channel) {
  const Request& request = channel->request;
  ConfigureSites(channel);
  channel->record_count = 0;
  channel->new_site_count = 0;
  for (std::uint32_t i = 0; i < request.runs && i < kMaxBatch; ++i) {
    RunRecord* const record = &channel->records[i];
    if (MakeOneRun(channel, record, request.first_run + i)) return true;
    channel->record_count = i + 1;
    Sites::Adopt(channel);
    CleanScratch();
    const std::uint32_t threads = std::min(record->most_live, kMostShells);
    Shells::Prefill(threads > 0 ? threads - 1 : 0);
    if (!Passed(*record) || record->new_sites > 0 || record->new_sightings > 0) break;
  }
  return false;
}

void NeverServe() { served = true; }

void ServeBeforeFirstThread() {
  if (served || engine.scheduler == nullptr) return;
  served = true;
  const EngineScope scope;
  Channel* const channel = engine.channel;
  Modules::Refresh(channel);
  const char alone = __libc_single_threaded;
  Shells::Prefill(kFirstShells);
  KeepFileMappingsMapped();
  FindScratch();
  input_start = std::max(0L, RawSyscall(SYS_lseek, STDIN_FILENO, 0, SEEK_CUR));
  output_start = std::max(0L, RawSyscall(SYS_lseek, channel->config.output_fd, 0, SEEK_CUR));
  channel->worker_pid.store(static_cast<std::int32_t>(RawSyscall(SYS_getpid)),
                            std::memory_order_release);
  for (;;) {
    GiveTurn(channel);
    AwaitTurn(channel);
    if (channel->request.quit != 0) RawSyscall(SYS_exit_group, 0);
    if (MakeRunsInChildren(channel)) {
      // The parked shells are not threads of the program's.
      __libc_single_threaded = alone;
      return;
    }
  }
}

void Scheduler::BeginRun() {
  const Request& request = channel_->request;
  Plan plan;
  plan.run = channel_->run_now.load(std::memory_order_relaxed);
  plan.seed = request.seed;
  plan.policy = request.policy;
  std::copy(std::begin(request.params), std::end(request.params), plan.params.begin());
  const Layout layout = LayoutFor(channel_->config.max_events);
  const auto* const data = AreaOf<std::uint8_t>(channel_, layout.data);
  plan.data.assign(data, data + request.data_size);
  BeginRun(plan);
  replay_.Begin(channel_);
}

void Scheduler::BeginRun(const Plan& plan) {
  recorder_.Begin(channel_);
  outside::Begin(channel_);
  races_.Begin(channel_);
  memory_faults_.Begin(this);
  monitors_.Begin();
  replay_.Begin(plan.prefix);
  for (const Thread* thread : threads_) recorder_.AddThread(*thread);
  const StrategyInfo* const info = FindStrategy(plan.policy);
  HEDDLE_CHECK(info != nullptr);
  policy_ = info->make_policy();
  policy_->Begin(plan);
  policy_watches_ = policy_->Watches();
  is_fair_ = plan.policy == "random";
  const std::uint64_t call_sites = plan.params[kCallSitesParam];
  call_sites_ = call_sites == 0 ? kUsualCallSites : std::min(call_sites - 1, kMostCallSites);
}

}  // namespace heddle
