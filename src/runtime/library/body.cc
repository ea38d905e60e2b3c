#include "runtime/library/body.h"

#include <csetjmp>
#include <memory>
#include <new>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/children.h"
#include "runtime/interpose/file_lock.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/keys.h"
#include "runtime/interpose/named_pipe.h"
#include "runtime/interpose/named_semaphore.h"
#include "runtime/interpose/numbers.h"
#include "runtime/interpose/places.h"
#include "runtime/interpose/ports.h"
#include "runtime/interpose/signal_delivery.h"
#include "runtime/interpose/signal_fd.h"
#include "runtime/interpose/signal_timers.h"
#include "runtime/interpose/timers.h"
#include "runtime/interpose/watches.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/location.h"
#include "runtime/memory/sharing.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/rules.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/thread_body.h"
#include "runtime/scheduler/unseen_wait.h"
#include "runtime/switch/shell.h"
#include "runtime/switch/tls.h"
#include "runtime/worker/process.h"

namespace heddle {
namespace {

// State outside the Scheduler that belongs to a run. A file that keeps some adds its function here.
constexpr void (*kResets[])() = {
    Objects::ResetForRun, Sharing::ResetForRun, Locations::ResetForRun,
    Shells::ResetForRun,  ResetKeysForRun,      ResetNamedSemaphoresForRun,
    RestoreThreadLocals,  ForgetPipes,          ForgetWatches,
    ForgetAnnounced,      ForgetNumbers,        ForgetNamedPipes,
    ForgetChildren,       ForgetPlaces,         UnseenWait::ResetForRun,
    ForgetSignalStacks,   ForgetSignalFds,      ForgetTimers,
    ForgetFileLocks,
};

bool left_blocks = false;

// Kept out of RunBody's frame, where unwinding by pthread_exit ends.
[[gnu::noinline]] void Call(const Body& body) { body.function(body.argument); }

// Those that have done all they do but end (Rule::kEnds) are in nobody's way.
void AwaitLastSteps(Scheduler* scheduler) {
  for (std::size_t i = 0; i < scheduler->thread_count(); ++i) {
    const auto id = static_cast<ThreadId>(i);
    const RunView& view = scheduler->View();
    if (!view.IsLive(id) || view.pending[id].kind != OpKind::kEnd) continue;
    scheduler->Reach({.kind = OpKind::kJoin, .object = scheduler->ThreadById(id)->object});
    scheduler->Record(0, id);
  }
}

// Natively they would go on into the next test. Where nobody waited for a thread, returning depends
// on how far it has come.
void RequireThatAllEnded(Scheduler* scheduler) {
  if (!scheduler->is_over()) EndSignalTimers(scheduler);
  if (!scheduler->is_alone()) ReachEnd(0, 0);
  if (!scheduler->is_over() && Rules::Has(Rule::kEnds)) AwaitLastSteps(scheduler);
  if (scheduler->live_count() == 1) return;
  // One that failed is still there, or one that did not come to its end: this process is not used
  // again.
  if (scheduler->is_over() || scheduler->parked() > 0) EndRun({.outcome = RunOutcome::kExited});
  ReportMisuse(scheduler, nullptr,
               "the body returns while a thread that it started is still running");
}

}  // namespace

void RunBody(const Body& body) {
  Scheduler* const scheduler = engine.scheduler;
  Thread* const self = scheduler->current();
  self->shell->unwind_limit = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  if (_setjmp(self->shell->over) == 0) {
    engine.hot.active = engine.hot.when_active;
    Call(body);
  }
  // A process that the body forked came back: it was never meant to.
  if (engine.scheduler == nullptr) RawSyscall(SYS_exit_group, 0);
  RequireThatAllEnded(engine.scheduler);
  if (!engine.scheduler->is_over()) engine.scheduler->monitors().CheckAtEnd(engine.scheduler);
  RunThreadDestructors();
  engine.hot.active = 0;
  PublishEnd({.outcome = RunOutcome::kExited, .body_returned = true});
}

void ResetForRun() {
  Channel* const channel = engine.channel;
  Scheduler* const scheduler = engine.scheduler;
  scheduler->memory_faults().GiveBack();
  std::destroy_at(scheduler);
  for (void (*const reset)() : kResets) reset();
  left_blocks = !Heap::ResetForRun();
  new (scheduler) Scheduler(channel, &engine.hot);
}

void KeepWhatIsInitialised() { KeepKeys(); }

bool LastRunLeftBlocks() { return left_blocks; }

}  // namespace heddle
