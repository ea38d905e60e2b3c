#include "runtime/engine.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "abi_hash_value.h"
#include "base/check.h"
#include "base/raw_syscall.h"
#include "runtime/interpose/printf.h"
#include "runtime/interpose/real.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/location.h"
#include "runtime/memory/modules.h"
#include "runtime/memory/sharing.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/stacks.h"
#include "runtime/switch/backend.h"
#include "runtime/switch/shell.h"
#include "runtime/worker/crash.h"
#include "runtime/worker/process.h"
#include "runtime/worker/timestamp.h"
#include "trace/source_hash.h"

namespace heddle {

Engine engine;

namespace {

// Takes a variable out of the environment, so that programs started by this one are not workers
// too.
char* TakeVariable(const char* name) {
  if (environ == nullptr) return nullptr;
  const std::size_t length = std::strlen(name);
  for (char** at = environ; *at != nullptr; ++at) {
    if (std::strncmp(*at, name, length) != 0 || (*at)[length] != '=') continue;
    char* const value = *at + length + 1;
    for (char** rest = at; *rest != nullptr; ++rest) *rest = *(rest + 1);
    return value;
  }
  return nullptr;
}

// heddle preloads its engine in front of what the user preloads.
void StripPreload() {
  for (char** at = environ; *at != nullptr; ++at) {
    constexpr char kName[] = "LD_PRELOAD=";
    if (std::strncmp(*at, kName, sizeof kName - 1) != 0) continue;
    char* const value = *at + sizeof kName - 1;
    char* const rest = std::strchr(value, ':');
    if (std::strstr(value, "libheddle_engine.so") == nullptr) return;
    if (rest == nullptr) {
      TakeVariable("LD_PRELOAD");
    } else {
      std::memmove(value, rest + 1, std::strlen(rest + 1) + 1);
    }
    return;
  }
}

Channel* MapChannel(const char* variable) {
  const int fd = std::atoi(variable);
  struct stat status = {};
  if (::fstat(fd, &status) != 0 || static_cast<std::size_t>(status.st_size) < sizeof(Channel)) {
    return nullptr;
  }
  const long address =
      RawSyscall(SYS_mmap, 0, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (address < 0 && address > -4096) return nullptr;
  auto* const channel = reinterpret_cast<Channel*>(address);
  if (channel->magic != kChannelMagic) return nullptr;
  RequireSameSources(channel);
  if (channel->size != static_cast<std::uint64_t>(status.st_size)) return nullptr;
  RawSyscall(SYS_close, fd);
  return channel;
}

void TakeControl(Channel* channel) {
  engine.channel = channel;
  Modules::Refresh(channel);
  Sharing::Prepare(&engine.hot, Locations::MainStack());
  const bool sees_accesses = channel->config.points != Points::kSync;
  engine.hot.when_active = HEDDLE_ACTIVE | (sees_accesses ? HEDDLE_SEES_ACCESSES : 0);
  if (channel->config.backend == Backend::kFiber && !FiberIsPossible()) {
    channel->config.backend = Backend::kBaton;
  }
  Heap::Prepare();
  Shells::Prepare(channel->config.backend, Locations::MainStack());
  engine.scheduler = new Scheduler(channel, &engine.hot);
  InstallCrashHandlers();
  TrapTimestampCounter();
  WatchProcessExit();
  // The unwinder sets itself up at its first use. Done here it is no event of a run: a replay that
  // takes stacks uses it earlier than the run that it replays.
  std::uint64_t frame;
  CaptureStack(&frame, 1);
}

}  // namespace

void RequireSameSources(Channel* channel) {
  if (channel->version == kChannelVersion && channel->source_hash == SourceHash()) return;
  EndAsStranger(channel, Stranger::kEngine);
}

void EndAsStranger(Channel* channel, Stranger what) {
  channel->stranger.store(what);
  for (;;) RawSyscall(SYS_exit_group, 3);  // the environment is at fault
}

void Boot() {
  if (engine.booted) return;
  engine.booted = true;
  real::Resolve();
  PrepareSnprintf();
  const char* const variable = TakeVariable(kChannelVariable);
  if (variable == nullptr) return;
  Channel* const channel = MapChannel(variable);
  HEDDLE_CHECK(channel != nullptr);
  StripPreload();
  TakeVariable("LD_BIND_NOW");
  Locations::SetMain(reinterpret_cast<std::uint64_t>(environ), ThreadPointer());
  TakeControl(channel);
  engine.hot.active = engine.hot.when_active;
}

void BootLate(Channel* channel, std::uint64_t stack) {
  // libstdc++ does without locks, atomics and pthread_once until there have been threads. Of runs
  // that follow each other in one process only the first would.
  __libc_single_threaded = 0;
  // Its frames lie below, those of its callers above.
  constexpr std::uint64_t kAbove = std::uint64_t{1} << 29;
  Locations::SetMain(stack + kAbove, ThreadPointer());
  TakeControl(channel);
}

Scheduler* Scheduler::Get() { return engine.scheduler; }

}  // namespace heddle

// Before any constructor of the program; libraries that start earlier get here through their first
// call.
__attribute__((constructor(101))) static void BootEarly() { heddle::Boot(); }

HEDDLE_EXPORT HeddleHot* heddle_attach(std::uint64_t abi) {
  heddle::Boot();
  if (abi == HEDDLE_ABI_HASH) return &heddle::engine.hot;
  if (heddle::engine.channel != nullptr) {
    heddle::EndAsStranger(heddle::engine.channel, heddle::Stranger::kHooks);
  }
  heddle::engine.has_strange_hooks = true;
  return nullptr;
}

HEDDLE_EXPORT int heddle_is_scheduling() { return heddle::Scheduler::OfThisThread() != nullptr; }
