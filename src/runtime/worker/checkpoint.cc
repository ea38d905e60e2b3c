#include "runtime/worker/checkpoint.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/real_time.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/worker/beginning.h"
#include "runtime/worker/copyable.h"
#include "runtime/worker/scratch.h"
#include "runtime/worker/server.h"

namespace heddle {
namespace {

std::uint32_t level = 0;  // checkpoints on the way to this process, itself included

// The kernel's form: glibc's own signals included.
using SignalSet = std::uint64_t;

SignalSet SetSignalMask(SignalSet mask) {
  SignalSet before = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&mask),
             reinterpret_cast<long>(&before), sizeof mask);
  return before;
}

// Not libc's fork: that would give the running thread another id, and a recursive mutex knows its
// owner by it. Without a signal at its end: the program may have asked to hear of SIGCHLD, or not
// to.
long Copy() { return RawSyscall(SYS_clone, 0, 0, 0, 0, 0); }

CheckpointRefusal WhyNot(const Channel& channel, const Policy& policy) {
  if (channel.config.backend != Backend::kFiber) return CheckpointRefusal::kBackend;
  if (!policy.CanGoOnWith()) return CheckpointRefusal::kPolicy;
  return WhyNotCopyable(channel);
}

// Of kinds that leave more in the channel than a checkpoint restores, or whose next request will
// have other scheduling points.
bool IsOrdinary(const Channel& channel) {
  const Request& request = channel.request;
  return request.runs == 1 && request.detail == 0 && request.tolerant == 0 &&
         request.anchor_count == 0 && request.input_size == 0 && channel.new_site_count == 0;
}

// Ends a process of ours and returns when it has ended. Its number may be another's by now: only one
// of the group that the worker and its runs are in is ours. Kernels that can't tell (before 5.3)
// leave it alone.
void End(std::int32_t pid) {
  if (pid <= 1) return;
  const long handle = RawSyscall(SYS_pidfd_open, pid, 0);
  if (handle < 0) return;
  if (RawSyscall(SYS_getpgid, pid) == RawSyscall(SYS_getpgid, 0)) {
    RawSyscall(SYS_pidfd_send_signal, handle, SIGKILL, 0, 0);
    pollfd ended = {.fd = static_cast<int>(handle), .events = POLLIN, .revents = 0};
    while (RawSyscall(SYS_poll, reinterpret_cast<long>(&ended), 1, -1) == -EINTR) {
    }
  }
  RawSyscall(SYS_close, handle);
}

// A checkpoint was killed. Those below it die with it, but not at once: until then the run writes
// its record, and a checkpoint may hand it over or leave another one.
void AwaitOrphans(Channel* channel, std::uint32_t own_level) {
  for (;;) {
    const std::int32_t run = channel->run_pid.load();
    const std::uint32_t count = std::min(channel->checkpoint_count.load(), kMaxCheckpoints);
    for (std::uint32_t i = own_level + 1; i < count; ++i) End(channel->checkpoint_pids[i]);
    End(run);
    if (channel->run_pid.load() == run && channel->checkpoint_count.load() <= count) return;
  }
}

// In the parent: returns when the copy has ended, and with it the run, or with it a checkpoint.
bool AwaitRun(Channel* channel, long child) {
  channel->run_pid.store(static_cast<std::int32_t>(child), std::memory_order_release);
  int status = 0;
  while (RawSyscall(SYS_wait4, child, reinterpret_cast<long>(&status), __WALL, 0) == -EINTR) {
  }
  if (ChildWasCheckpoint(channel, level, status)) return false;
  channel->run_pid.store(0, std::memory_order_release);
  CompleteRecord(channel, &channel->records[0], status);
  channel->record_count = 1;
  return true;
}

}  // namespace

bool ChildWasCheckpoint(Channel* channel, std::uint32_t own_level, int wait_status) {
  if (channel->checkpoint_count.load(std::memory_order_acquire) <= own_level) return false;
  if (WIFSIGNALED(wait_status)) AwaitOrphans(channel, own_level);
  channel->checkpoint_count.store(own_level, std::memory_order_release);
  return true;
}

void Scheduler::AwaitNextCheckpoint() {
  const Request& request = channel_->request;
  checkpoint_at_ = kNoCheckpoint;
  if (level >= kMaxCheckpoints) return;
  for (std::uint32_t i = std::min(request.checkpoint_count, kMaxCheckpoints); i-- > 0;) {
    if (request.checkpoint_at[i] > recorder_.decisions()) checkpoint_at_ = request.checkpoint_at[i];
  }
}

void Scheduler::LeaveCheckpoint() {
  const EngineScope scope;
  checkpoint_at_ = kNoCheckpoint;
  if (going_on_ || !IsOrdinary(*channel_)) return;
  channel_->refusal = WhyNot(*channel_, *policy_);
  channel_->refused_at = static_cast<std::uint32_t>(recorder_.decisions());
  if (channel_->refusal != CheckpointRefusal::kNone) return;

  const FileOffsets offsets = FileOffsets::Now(*channel_);
  const Beginning beginning(*channel_);
  const SignalSet mask = SetSignalMask(~SignalSet{0});
  const long here = RawSyscall(SYS_getpid);
  channel_->checkpoint_pids[level] = static_cast<std::int32_t>(here);
  channel_->checkpoints[level++] = {.events = recorder_.events(),
                                    .decisions = recorder_.decisions()};
  bool is_first = true;
  const auto go_on = [&] {
    // First of all: whoever finds our parent dead either finds us here, or we find it dead, too.
    channel_->run_pid.exchange(static_cast<std::int32_t>(RawSyscall(SYS_getpid)));
    RawSyscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (RawSyscall(SYS_getppid) != here) RawSyscall(SYS_exit_group, 0);
    NoteProcessBegins(offsets);
    if (!is_first) GoOnAsRequested();
    AwaitNextCheckpoint();
    SetSignalMask(mask);
  };
  for (;; is_first = false) {
    channel_->checkpoint_count.store(level, std::memory_order_release);
    if (!is_first) {
      beginning.Restore(channel_);
      recorder_.StoreExtents();
      offsets.Restore(*channel_);
      channel_->made_from = level;
    }
    const long child = Copy();
    if (child == 0) return go_on();
    if (child < 0 && is_first) {
      channel_->checkpoint_count.store(--level, std::memory_order_release);
      channel_->refusal = CheckpointRefusal::kNoProcess;
      SetSignalMask(mask);
      return;
    }
    // Without a child somebody before us may have more luck.
    if (child < 0) RawSyscall(SYS_exit_group, 0);
    if (AwaitRun(channel_, child)) GiveTurn(channel_);
    // What runs left in their directory only the worker can remove.
    if (IsScratchChanged()) RawSyscall(SYS_exit_group, 0);
    AwaitTurn(channel_);
    if (channel_->request.quit != 0 || channel_->request.keep_checkpoints < level) {
      RawSyscall(SYS_exit_group, 0);
    }
  }
}

void Scheduler::GoOnAsRequested() {
  if (channel_->request.measure != 0) channel_->run_began = RealNanoseconds();
  policy_->GoOnWith(RequestedPlan(*channel_));
  replay_.GoOn(channel_, recorder_.decisions());
  is_plain_ = is_plain_ && !replay_.anchored();
  SetStraight();
}

}  // namespace heddle
