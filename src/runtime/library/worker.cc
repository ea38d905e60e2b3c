#include "runtime/library/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/check.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/real.h"
#include "runtime/library/batch.h"
#include "runtime/memory/prefork.h"
#include "runtime/memory/sites.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/switch/shell.h"
#include "runtime/worker/server.h"

namespace heddle {
namespace {

constexpr std::uint32_t kFirstShells = 4;

void SetUpProcess(const WorkerDescriptors& descriptors, int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) RawSyscall(SYS_exit_group, 0);
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  real::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{1, 1};  // as of explore/launch.cc
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(descriptors.input, STDIN_FILENO);
  dup2(descriptors.output, STDOUT_FILENO);
  dup2(descriptors.output, STDERR_FILENO);
  for (const int fd : {descriptors.channel, descriptors.input, descriptors.output}) {
    RawSyscall(SYS_close, fd);
  }
}

// Forks the process that makes the runs and answers for it when it ends.
void AnswerInProcess(const Body& body, Channel* channel) {
  channel->record_count = 0;
  channel->new_site_count = 0;
  channel->batch_retired = 0;
  channel->search_report = SearchReport();
  const pid_t child = real::_Fork();
  if (child == 0) {
    SetUpChild(channel);
    ServeBatch(body, channel);
  }
  RunRecord* const record = &channel->records[0];
  if (child < 0) {
    *record = RunRecord();
    record->run = channel->request.first_run;
    channel->record_count = 1;
    GiveTurn(channel);
    return;
  }
  channel->run_pid.store(child, std::memory_order_release);
  int status = 0;
  while (RawSyscall(SYS_wait4, child, reinterpret_cast<long>(&status), 0, 0) == -EINTR) {
  }
  channel->run_pid.store(0, std::memory_order_release);
  Sites::Adopt(channel);
  if (channel->batch_retired != 0)
    return;  // it had handed over; there may be a new request already
  if (channel->turn.load(std::memory_order_acquire) != Turn::kWorker) return;
  const std::uint32_t last = channel->record_count < kMaxBatch ? channel->record_count : 0;
  CompleteRecord(channel, &channel->records[last], status);
  channel->record_count = last + 1;
  GiveTurn(channel);
}

}  // namespace

Channel* MapChannelOfWorker(int fd) {
  struct stat status = {};
  HEDDLE_CHECK(::fstat(fd, &status) == 0);
  const long address =
      RawSyscall(SYS_mmap, 0, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  HEDDLE_CHECK(address > 0 || address < -4095);
  auto* const channel = reinterpret_cast<Channel*>(address);
  HEDDLE_CHECK(channel->magic == kChannelMagic);
  RequireSameSources(channel);
  if (engine.has_strange_hooks) EndAsStranger(channel, Stranger::kHooks);
  return channel;
}

void BecomeWorker(const Body& body, const WorkerDescriptors& descriptors, int parent,
                  std::uint64_t stack) {
  Channel* const channel = MapChannelOfWorker(descriptors.channel);
  SetUpProcess(descriptors, parent);
  NeverServe();
  BootLate(channel, stack);
  const char alone = __libc_single_threaded;
  Shells::Prefill(kFirstShells);
  __libc_single_threaded = alone;
  KeepFileMappingsMapped();
  channel->started_main = 1;
  channel->worker_pid.store(static_cast<std::int32_t>(RawSyscall(SYS_getpid)),
                            std::memory_order_release);
  GiveTurn(channel);
  for (;;) {
    AwaitTurn(channel);
    if (channel->request.quit != 0) RawSyscall(SYS_exit_group, 0);
    if (channel->config.isolation == Isolation::kInProcess) {
      AnswerInProcess(body, channel);
      continue;
    }
    if (MakeRunsInChildren(channel) == RunsMade::kIsRun) {
      RunBody(body);
      engine.scheduler->StoreThreads();
      fflush(nullptr);
      RawSyscall(SYS_exit_group, 0);
    }
    GiveTurn(channel);
  }
}

}  // namespace heddle
