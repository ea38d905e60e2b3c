#include "runtime/worker/process.h"

#include <stdlib.h>

#include <cstdio>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/made_here.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/thread_body.h"
#include "runtime/worker/timestamp.h"

namespace heddle {
namespace {

constexpr std::uint64_t kProcessKey = 2;

int exit_status = 0;
bool published = false;

// Registered before the program's own handlers, so it runs after them.
void NoteStatus(int status, void*) { exit_status = status; }

}  // namespace

void ReachEnd(int status, std::uint64_t site) {
  Scheduler* const scheduler = Scheduler::Get();
  Object* const process = Objects::Named(ObjectKind::kProcess, kProcessKey);
  scheduler->Reach({.kind = OpKind::kProcessExit, .object = process, .site = site});
  Event* const event = scheduler->Record();
  // How far the others have come by then is part of what it is.
  const Thread* const self = scheduler->current();
  for (std::size_t id = 0; id < scheduler->thread_count(); ++id) {
    const Thread* const other = scheduler->ThreadById(static_cast<ThreadId>(id));
    if (other != self) scheduler->recorder().Aimed(*self, *other);
  }
  event->value = static_cast<std::uint64_t>(status);
  event->flags |= Event::kHasValue;
  scheduler->NoteProcessExit();
}

namespace {

void ReachExit(int status, std::uint64_t site) {
  ReachEnd(status, site);
  Scheduler* const scheduler = Scheduler::Get();
  // Whatever the test would have looked at behind it, nobody looks at, and yet it would pass.
  if (status == 0 && scheduler->channel()->config.isolation != Isolation::kProgram) {
    ReportMisuse(scheduler, nullptr,
                 "the body ends the process with status 0 instead of returning");
  }
  scheduler->monitors().CheckAtEnd(scheduler);
}

}  // namespace

void WatchProcessExit() { on_exit(NoteStatus, nullptr); }

void EndProcess(int status, std::uint64_t site) {
  ReachExit(status, site);
  RunThreadDestructors();
  real::exit(status);
  __builtin_unreachable();
}

void NoteQuickExit(int status, std::uint64_t site) {
  ReachExit(status, site);
  PublishExit(status);
}

void PublishExit(int status) {
  if (engine.scheduler == nullptr || published || !engine.scheduler->recorder().recording()) return;
  published = true;
  engine.hot.active = 0;
  // Behind a failure the run's record is the failure's.
  if (engine.scheduler->is_over()) EndRun({.outcome = RunOutcome::kExited});
  PublishEnd({.outcome = RunOutcome::kExited, .status = status});
  engine.scheduler->StoreThreads();
  RemoveWhatWasMade();
}

bool RunIsOver() { return published && engine.scheduler != nullptr; }

void EndIfRunIsOver() {
  if (!RunIsOver()) return;
  std::fflush(nullptr);
  for (;;) RawSyscall(SYS_exit_group, exit_status);
}

void BecomeDormant() {
  engine.hot.active = 0;
  engine.scheduler = nullptr;
  engine.channel = nullptr;
  FreeTimestampCounter();
}

// After the program's exit handlers and destructors; libc then flushes its streams and leaves.
__attribute__((destructor)) static void AtTheVeryEnd() { PublishExit(exit_status); }

}  // namespace heddle
