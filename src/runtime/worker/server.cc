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
#include <memory>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/real.h"
#include "runtime/memory/modules.h"
#include "runtime/memory/prefork.h"
#include "runtime/memory/sites.h"
#include "runtime/real_time.h"
#include "runtime/scheduler/dead_frames.h"
#include "runtime/scheduler/focus.h"
#include "runtime/scheduler/loops.h"
#include "runtime/scheduler/rules.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/unseen_loops.h"
#include "runtime/switch/shell.h"
#include "runtime/worker/checkpoint.h"
#include "runtime/worker/copyable.h"
#include "runtime/worker/scratch.h"
#include "strategy/registry.h"
#include "trace/call_sites.h"

namespace heddle {
namespace {

constexpr std::uint32_t kFirstShells = 4;
constexpr std::uint32_t kMostShells = 512;
constexpr int kSpins = 2000;

bool served = false;
FileOffsets start;  // what set-up before the first run has read and printed belongs to every run

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
  RawSyscall(SYS_lseek, STDIN_FILENO, start.input, SEEK_SET);
  NoteProcessBegins(start);
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
  record->output_bytes = static_cast<std::uint32_t>(std::clamp(end, 0L, long{UINT32_MAX}));
}

namespace {

enum class Made { kRun, kNothing, kIsRun };  // kIsRun: in the child

// Nothing: its process stayed as a checkpoint, answered that request and perhaps others, and left
// one for us to look at.
Made MakeOneRun(Channel* channel, RunRecord* record, std::uint64_t number) {
  *record = RunRecord();
  record->run = number;
  Recorder::Forget(channel);
  channel->input_size = 0;
  channel->input_missing = 0;
  channel->failure = Failure();
  channel->later_count = 0;
  channel->run_now.store(number, std::memory_order_relaxed);
  channel->checkpoint_count.store(0, std::memory_order_relaxed);
  channel->made_from = 0;
  channel->refusal = CheckpointRefusal::kNone;
  if (channel->request.checkpoint_count != 0) NoteDescriptors(*channel);
  RawSyscall(SYS_lseek, channel->config.output_fd, start.output, SEEK_SET);
  const pid_t child = real::_Fork();
  if (child == 0) {
    SetUpChild(channel);
    engine.scheduler->BeginRun();
    return Made::kIsRun;
  }
  if (child < 0) {
    record->outcome = RunOutcome::kNone;
    record->signal = 0;
    return Made::kRun;
  }
  channel->run_pid.store(child, std::memory_order_release);
  int status = 0;
  while (RawSyscall(SYS_wait4, child, reinterpret_cast<long>(&status), 0, 0) == -EINTR) {
  }
  if (ChildWasCheckpoint(channel, 0, status)) return Made::kNothing;
  channel->run_pid.store(0, std::memory_order_release);
  CompleteRecord(channel, record, status);
  return Made::kRun;
}

// Runs that follow each other in one process use one policy of a kind.
struct PolicyInUse {
  std::string_view name;  // the registry's
  std::unique_ptr<Policy> policy;
  bool is_fair = false;
};
const PolicyInUse& PolicyOfProcess(std::string_view name) {
  static std::vector<PolicyInUse>& made = *new std::vector<PolicyInUse>;
  for (const PolicyInUse& known : made) {
    if (known.name.data() == name.data() || known.name == name) return known;
  }
  const StrategyInfo* const info = FindStrategy(name);
  HEDDLE_CHECK(info != nullptr);
  made.push_back({info->name, info->make_policy(), info->name == "random"});
  return made.back();
}

}  // namespace

void ConfigureSites(Channel* channel) {
  const Request& request = channel->request;
  const Layout layout = LayoutFor(channel->config.max_events);
  const auto* const ranges = AreaOf<CodeRange>(channel, layout.ranges);
  Focus::Configure(channel);
  const std::span<const SiteRef> sites = {AreaOf<SiteRef>(channel, layout.sites),
                                          request.site_count};
  Sites::Configure(sites, {ranges, request.point_ranges});
  Loops::Configure(sites);
  UnseenLoops::Configure(sites);
  Rules::Configure(sites);
}

RunsMade MakeRunsInChildren(Channel* channel) {
  const Request& request = channel->request;
  ConfigureSites(channel);
  channel->record_count = 0;
  channel->new_site_count = 0;
  for (std::uint32_t i = 0; i < request.runs && i < kMaxBatch; ++i) {
    RunRecord* const record = &channel->records[i];
    const Made made = MakeOneRun(channel, record, request.first_run + i);
    if (made == Made::kIsRun) return RunsMade::kIsRun;
    if (made == Made::kRun) channel->record_count = i + 1;
    Sites::Adopt(channel);
    CleanScratch();
    if (made == Made::kNothing) return RunsMade::kLookAgain;
    const std::uint32_t threads = std::min(record->most_live, kMostShells);
    Shells::Prefill(threads > 0 ? threads - 1 : 0);
    if (!Passed(*record) || record->new_sites > 0 || record->new_sightings > 0) break;
  }
  return RunsMade::kAll;
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
  DeadFrames::Prepare();
  start = FileOffsets::Now(*channel);
  channel->worker_pid.store(static_cast<std::int32_t>(RawSyscall(SYS_getpid)),
                            std::memory_order_release);
  GiveTurn(channel);
  for (;;) {
    AwaitTurn(channel);
    if (channel->request.quit != 0) RawSyscall(SYS_exit_group, 0);
    switch (MakeRunsInChildren(channel)) {
      case RunsMade::kAll:
        GiveTurn(channel);
        break;
      case RunsMade::kLookAgain:
        break;
      case RunsMade::kIsRun:
        // The parked shells are not threads of the program's.
        __libc_single_threaded = alone;
        return;
    }
  }
}

Plan RequestedPlan(const Channel& channel) {
  const Request& request = channel.request;
  Plan plan;
  plan.run = channel.run_now.load(std::memory_order_relaxed);
  plan.seed = request.seed;
  plan.policy = request.policy;
  std::copy(std::begin(request.params), std::end(request.params), plan.params.begin());
  const Layout layout = LayoutFor(channel.config.max_events);
  const auto* const data = AreaOf<std::uint8_t>(const_cast<Channel*>(&channel), layout.data);
  plan.data.assign(data, data + request.data_size);
  return plan;
}

void Scheduler::BeginRun() {
  BeginRun(RequestedPlan(*channel_));
  replay_.Begin(channel_);
  is_plain_ = is_plain_ && !replay_.anchored();
  SetStraight();
  AwaitNextCheckpoint();
  if (channel_->request.measure != 0) channel_->run_began = RealNanoseconds();
}

void Scheduler::BeginRun(const Plan& plan) {
  recorder_.Begin(channel_);
  SetView();
  step_limit_ = channel_->config.max_steps;
  recorder_.LimitTo(step_limit_ == 0 ? 0 : step_limit_ - 1);  // the last one is looked at
  outside::Begin(channel_);
  races_.Begin(channel_);
  memory_faults_.Begin(this);
  monitors_.Begin();
  replay_.Begin(plan.prefix);
  for (const Thread* thread : threads_) recorder_.AddThread(*thread);
  const PolicyInUse& in_use = PolicyOfProcess(plan.policy);
  policy_ = in_use.policy.get();
  policy_->Begin(plan);
  policy_watches_ = policy_->Watches();
  is_fair_ = in_use.is_fair;
  const std::uint64_t call_sites = plan.params[kCallSitesParam];
  // Whoever tells statements apart by them says so; otherwise they are for reports.
  call_sites_ = call_sites != 0 ? std::min(call_sites - 1, kMostCallSites)
                                : (recorder_.detail() ? kUsualCallSites : 0);
  is_plain_ = !Focus::is_set() && !Loops::any() && !replay_.anchored();
  SetStraight();
}

}  // namespace heddle
