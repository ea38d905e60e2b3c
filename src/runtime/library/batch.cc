#include "runtime/library/batch.h"

#include <stdio.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <algorithm>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/library/search.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/switch/tls.h"
#include "runtime/worker/server.h"

namespace heddle {
namespace {

constexpr char kWarmUpPolicy[] = "nonpreemptive";

// What a run printed is worth keeping only if it fails, and then it is the replay's. A body that
// prints nothing costs no system call: whether it does is looked at now and then.
void DiscardOutput(Channel* channel) {
  static std::uint64_t runs = 0;
  static bool prints = false;
  for (FILE* const file : {stdout, stderr}) {
    if (__fpending(file) == 0) continue;
    prints = true;
    __fpurge(file);
  }
  if (!prints && (runs++ & 63) != 0) return;
  prints = RawSyscall(SYS_lseek, channel->config.output_fd, 0, SEEK_CUR) > 0;
  if (prints) RawSyscall(SYS_lseek, channel->config.output_fd, 0, SEEK_SET);
}

void WarmUp(const Body& body, Channel* channel) {
  Plan plan;
  plan.policy = kWarmUpPolicy;
  plan.seed = channel->request.seed;
  plan.run = channel->request.first_run;
  channel->search_report = SearchReport();
  channel->search_report.warming_up = 1;
  SaveThreadLocals();
  StartRun(channel, channel->request.first_run);
  engine.scheduler->BeginRun(plan);
  RunBody(body);
  KeepWhatIsInitialised();
  channel->search_report.warming_up = 0;
}

void MakeRuns(const Body& body, Channel* channel) {
  const Request& request = channel->request;
  for (std::uint32_t i = 0; i < request.runs && i < kMaxBatch; ++i) {
    ResetForRun();
    RunRecord* const record = StartRun(channel, request.first_run + i);
    engine.scheduler->BeginRun();
    RunBody(body);
    engine.scheduler->StoreThreads();
    fflush(nullptr);
    const long end = RawSyscall(SYS_lseek, channel->config.output_fd, 0, SEEK_CUR);
    record->output_bytes = static_cast<std::uint32_t>(std::clamp(end, 0L, long{UINT32_MAX}));
    channel->record_count = i + 1;
    if (record->new_sites > 0 || record->new_sightings > 0) break;
  }
}

}  // namespace

RunRecord* StartRun(Channel* channel, std::uint64_t number) {
  RunRecord* const record = &channel->records[channel->record_count];
  *record = RunRecord();
  record->run = number;
  channel->failure.kind = FailureKind::kNone;
  channel->later_count = 0;
  channel->run_now.store(number, std::memory_order_relaxed);
  DiscardOutput(channel);
  return record;
}

void ServeBatch(const Body& body, Channel* channel) {
  channel->failure = Failure();
  ConfigureSites(channel);
  WarmUp(body, channel);
  InProcessSearch search(body, channel);
  for (;;) {
    if (channel->search.wanted != 0) {
      if (search.Serve()) {
        channel->batch_retired = 1;
        GiveTurn(channel);
        RawSyscall(SYS_exit_group, 0);
      }
    } else {
      MakeRuns(body, channel);
    }
    GiveTurn(channel);
    AwaitTurn(channel);
    if (const std::uint8_t quit = channel->request.quit; quit != 0) {
      RawSyscall(SYS_exit_group, quit == kQuitFailed ? 1 : 0);
    }
    channel->record_count = 0;
    channel->new_site_count = 0;
    ConfigureSites(channel);
  }
}

}  // namespace heddle
