#include "runtime/library/replay_here.h"

#include <cstdio>
#include <cstring>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/library/batch.h"
#include "runtime/library/search.h"
#include "runtime/library/worker.h"
#include "runtime/memory/prefork.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/worker/server.h"

namespace heddle {
namespace {

// The controller says what came of the run before the process is gone.
[[noreturn]] void EndReplay() {
  Channel* const channel = engine.channel;
  const bool failed = channel->failure.kind != FailureKind::kNone;
  GiveTurn(channel);
  AwaitTurn(channel);
  const bool reproduced = channel->request.quit == kQuitFailed;  // also what a run survives
  for (;;) RawSyscall(SYS_exit_group, failed || reproduced ? 1 : 0);
}

}  // namespace

std::string ExploreKeyOf(const char* schedule_file) {
  std::FILE* const file = std::fopen(schedule_file, "re");
  if (file == nullptr) return "";
  constexpr char kWord[] = "explore ";
  std::string key;
  char line[4096];
  while (key.empty() && std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, kWord, sizeof kWord - 1) != 0) continue;
    key = line + sizeof kWord - 1;
    while (!key.empty() && (key.back() == '\n' || key.back() == '"')) key.pop_back();
    if (!key.empty() && key.front() == '"') key.erase(0, 1);
  }
  std::fclose(file);
  return key;
}

void ReplayHere(const Body& body, int channel_descriptor, std::uint64_t stack) {
  std::fflush(nullptr);
  Channel* const channel = MapChannelOfWorker(channel_descriptor);
  RawSyscall(SYS_close, channel_descriptor);
  NeverServe();
  BootLate(channel, stack);
  KeepFileMappingsMapped();
  channel->started_main = 1;
  channel->worker_pid.store(static_cast<std::int32_t>(RawSyscall(SYS_getpid)),
                            std::memory_order_release);
  GiveTurn(channel);
  AwaitTurn(channel);
  if (channel->request.quit != 0) RawSyscall(SYS_exit_group, 0);
  engine.before_leaving = EndReplay;
  if (channel->config.isolation == Isolation::kInProcess) ServeBatch(body, channel);
  channel->failure = Failure();
  ConfigureSites(channel);
  StartRun(channel, channel->request.first_run);
  engine.scheduler->BeginRun();
  RunBody(body);
  engine.scheduler->StoreThreads();
  std::fflush(nullptr);
  EndReplay();
}

}  // namespace heddle
