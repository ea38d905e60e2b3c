// Owns the program's schedule: one thread runs, all others have announced what they will do next.
//
// An interposed call builds a PendingOp, calls Reach() and, when that returns, has been chosen and
// carries the operation out on the model and records it. Between two Reach() calls nobody else
// runs. Eager operations (create, join when possible, …) do not ask: they commute with whatever
// others could do first.
//
// One instance per process; after a fork the child's copy makes one run. Where runs follow each
// other in one process (library/batch.cc) it is destroyed and made again between them, so no field
// can survive a run.
#ifndef HEDDLE_RUNTIME_SCHEDULER_SCHEDULER_H_
#define HEDDLE_RUNTIME_SCHEDULER_SCHEDULER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/engine.h"
#include "runtime/hooks/abi.h"
#include "runtime/scheduler/bits.h"
#include "runtime/scheduler/memory_faults.h"
#include "runtime/scheduler/monitors.h"
#include "runtime/scheduler/races.h"
#include "runtime/scheduler/recorder.h"
#include "runtime/scheduler/rehearsal.h"
#include "runtime/scheduler/replay.h"
#include "runtime/scheduler/running_out.h"
#include "runtime/scheduler/thread.h"
#include "runtime/switch/context.h"
#include "strategy/strategy.h"
#include "trace/channel.h"

namespace heddle {

struct Site;

// What an operation needs beside its kind.
struct Reaching {
  OpKind kind = OpKind::kNone;
  Object* object = nullptr;
  Object* second = nullptr;
  std::uint64_t site = 0;
  std::uint8_t size = 0;
  std::uint8_t order = 0;
  bool timed = false;
  std::uint64_t deadline = 0;  // virtual nanoseconds, if timed
  MutexKind mutex_kind = MutexKind::kNormal;
  // For objects whose state is the program's (<heddle/sync.h>): whether it can be carried out now.
  int (*ready)(const void*) = nullptr;
  const void* argument = nullptr;
  Object* changes_with =
      nullptr;                 // where a change that may make it so is reported; `object` if null
  bool interruptible = false;  // returns kInterrupted; otherwise handlers run and it waits on
};

// What running signal handlers means for the call they interrupted.
struct Delivered {
  bool any = false;          // one ran
  bool fails_calls = false;  // one asks that calls fail (no SA_RESTART)
};

class Scheduler final : public EventCounts {
 public:
  // The scheduler of the calling thread. nullptr: nobody schedules it (the program runs natively,
  // or this is a kernel thread that heddle did not make), so the call passes through.
  static Scheduler* OfThisThread() {
    if (__builtin_expect(!engine.booted, 0)) Boot();
    return engine.scheduler == nullptr || engine.hot.active == 0 ? nullptr : OfHook();
  }
  // The same for the compiler's hooks, which call the engine only while it is active.
  static Scheduler* OfHook() {
    Scheduler* const scheduler = engine.scheduler;
    return ThreadPointer() == scheduler->current_->shell->fs ? scheduler : nullptr;
  }
  static Scheduler* Get();  // also while the engine itself is at work; nullptr when dormant

  Scheduler(Channel* channel, HeddleHot* hot);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  Thread* current() const { return current_; }
  Thread* ThreadById(ThreadId id) const { return threads_[id]; }
  std::size_t thread_count() const { return threads_.size(); }
  std::uint64_t EventsOf(ThreadId id) const override { return threads_[id]->events; }
  Channel* channel() const { return channel_; }
  Recorder& recorder() { return recorder_; }
  Races& races() { return races_; }
  MemoryFaults& memory_faults() { return memory_faults_; }
  Monitors& monitors() { return monitors_; }
  std::uint64_t event_count() const { return recorder_.events(); }
  std::uint32_t live_count() const { return live_count_; }
  // There is one thread, and all there ever were are joined.
  bool is_alone() const { return is_alone_; }
  std::uint32_t most_live() const { return most_live_; }
  bool early_timeout() const { return early_timeout_; }

  // --- operations
  // -------------------------------------------------------------------------------------

  // Announces and returns once this thread is chosen and the operation can be carried out; kTimeout
  // when a timed one is to fail instead.
  Outcome Reach(const Reaching& what);
  // The same in its place, for one that may always have to wait (scheduler/reaching.h).
  Outcome ReachOrWaitHere(const Reaching& what);
  // The same for an atomic operation, which never has to wait. The switch is the caller's: every
  // function between the program and a switch costs a return that the processor guesses wrong.
  [[gnu::always_inline]] void ReachAtomic(OpKind kind, Object* object, std::uint64_t site,
                                          std::uint8_t size, std::uint8_t order) {
    GoOnWith(AnnounceAtomic(kind, object, site, size, order), kind, object, site, size, order);
  }
  // A plain access to memory: reached and recorded. `size` is as announced, of `bytes`.
  Event* Access(OpKind kind, Object* object, std::uint64_t site, std::uint8_t size,
                const void* address, std::uint64_t bytes);
  // Something happened to `thread` that ends what it waits for: anywhere, or only in an
  // interruptible operation.
  void Interrupt(Thread* thread, bool at_any_operation);
  // The same from the system, while nobody can go on.
  void InterruptWaiting(Thread* thread);
  // Runs the handlers of the calling thread's signals; asynchronous cancellation ends it.
  Delivered Attend();
  PendingSignals& process_signals() { return process_signals_; }
  // Nobody waits for descriptors beyond that time without looking again.
  void LimitIoWaits(std::uint64_t time);
  // What `thread` has announced and not yet done acts on something else than was said.
  void ActsOn(const Thread* thread, OpKind kind, std::uint8_t order, Object* object,
              Object* second);
  // What other threads have announced to act on `from` acts on `to`.
  void ActOnInstead(const Object* from, Object* to);
  // What the operation that was reached last acts on.
  Object* reached() const { return reached_object_; }

  // Records the operation that was reached last.
  Event* Record() { return Record(0, kNoThread); }
  // With what the event carries, for policies that look at it.
  Event* Record(std::uint64_t value, ThreadId other);
  // The same in its place, for those who know the operation's kind (scheduler/recording.h).
  Event* RecordHere(OpKind kind, std::uint64_t value, ThreadId other);
  // ... which has changed nothing: a try that did not get it, or a wait that gave up
  // (FailedAccessOf).
  Event* RecordFailed(std::uint8_t flag = Event::kFailed);
  // Records an operation that was never announced (exit, start, the failed half of a timed wait).
  Event* RecordDirectly(OpKind kind, Object* object, std::uint64_t site, std::uint8_t size = 0);

  // Something about `object` changed: who can proceed now?
  void Reconsider(Object* object) {
    if (object->pending != nullptr) ReconsiderPending(object);
  }

  // Sleeps in a queue until Wake() or the deadline. kTimeout: not woken; the thread is out of the
  // queue.
  Outcome SleepIn(Object* queue, const Reaching& what);
  // Lets `thread`, asleep in `queue`, go on: at once, or by taking `relock` first.
  void Wake(Object* queue, ThreadId thread);
  // After a wake-up that takes a mutex first: what Record() writes is that lock.
  void Relocking(Object* mutex);
  // The operation that was reached turned out to be on that object (a port of several, what an
  // operation leaves in epoll sets).
  void ReachedInstead(Object* object);
  // Which of several messages is received: a decision. Ordered by sender; `sends` are the events.
  std::uint32_t ChooseMessage(const std::uint64_t* senders, const std::uint32_t* sends,
                              std::uint32_t count);
  // Which of the sleepers a single wake-up reaches: a decision when there are several.
  ThreadId ChooseWaiter(Object* queue);
  // How the operation that was reached ends, where both ways are possible.
  Outcome ChooseOutcome();

  // --- threads
  // ----------------------------------------------------------------------------------------

  // The new thread runs up to its first operation when its creator next announces one: until then
  // neither sees what the other does. nullptr when no more threads can be made.
  Thread* Create(void* (*routine)(void*), void* argument, std::size_t stack_size, bool detached,
                 std::uint64_t site);
  // The first thing that the calling thread does.
  void Start();
  // `how` says where and how long; kTimeout: it did not end in time.
  Outcome Join(Thread* target, const Reaching& how);
  // The calling thread is over: its body must return the shell to switch to.
  Shell* Finish(void* result);
  // The same for the main thread, which has no body: it is never switched to again.
  [[noreturn]] void FinishMain();
  Thread* ThreadOf(pthread_t handle);

  // --- the run
  // ----------------------------------------------------------------------------------------

  // In the forked child, before the program goes on: the run that the request asks for.
  void BeginRun();
  // The same for a plan of a search inside this process. `plan` must outlive the run.
  void BeginRun(const Plan& plan);
  // In a copy of a checkpoint: goes on as the run that the request asks for.
  void GoOnAsRequested();
  // The main thread ended by pthread_exit and was the last: the process ends with status 0.
  bool IsLastThread() const { return live_count_ == 1; }

  // Virtual nanoseconds since the run's epoch.
  std::uint64_t Now() const { return clock_; }
  void AdvanceTo(std::uint64_t time) { clock_ = time > clock_ ? time : clock_; }
  Object* clock_object();
  bool has_used_clock() const { return clock_object_ != nullptr; }

  // No switching while a real lock is held (dlopen, exit handlers of libc): an operation that would
  // block then is an uncontrolled one.
  void HoldProcessor() {
    ++held_;
    SetStraight();
  }
  void LetGoOfProcessor() {
    --held_;
    SetStraight();
  }

  // Says, once by name and place, what heddle can't control.
  void Uncontrolled(std::string_view what, std::string_view effect, std::uint64_t site);

  // A plain write that is no event; told only while the running thread's loop is watched.
  void NoteWrite(const void* address) {
    if (__builtin_expect(current_->is_watched(), 0)) NoteWriteInLoop(address);
  }

  // A plain access that is no event, once somebody asked (scheduler/unseen_wait.h).
  void LookForUnseenWait(const Site& site, const void* address, bool is_write);

  // The running thread is about to go round once more in a loop that nobody sees
  // (scheduler/unseen_loops.h). `state`: a hash of all that it has of its own.
  void GoRoundUnseen(std::uint64_t site, std::uint64_t state);
  // `hash` with what of the running thread's stack is likely to change in a loop.
  std::uint64_t HashOfStackFrom(std::uint64_t stack_pointer, std::uint64_t hash) const;

  // Behind a failure of the calling thread: the others go on, without it. `is_blocked`: it failed
  // in what it was about to do, which therefore stays its next operation.
  [[noreturn]] void GoOnWithout(bool is_blocked);
  bool is_going_on() const { return going_on_; }
  // The calling thread has come to the end of the process, or of the body: nothing comes behind it.
  void NoteProcessExit() { has_ended_ = true; }
  bool has_ended() const { return has_ended_; }
  // The same for a failure that does not count (Request::parked): the run is not over.
  [[noreturn]] void Park(bool is_blocked);
  std::uint32_t parked() const { return parked_; }

  // The run is redundant: ends the process, or returns where more runs are to be made in it.
  void GiveUp(RunOutcome outcome);
  RunningOut& running_out() { return running_out_; }
  // What the program still does is not the run's any more.
  bool is_over() const { return going_on_ || running_out_.is_on(); }

  // For a failure: the stacks of all live threads, and what each was about to do, into the channel.
  void CaptureAllStacks();
  void StoreThreads();

  // With detail, the value of a plain write is read back when its thread next comes in.
  void ExpectWrite(Event* event, const void* address);

  const RunView& View() const { return view_; }

  // A thread stands in a loop that it could have left by now.
  bool IsOvertaken() const;

  // Before anybody looks at the record: what was kept aside of it (scheduler/rehearsal.h).
  void CompleteRecord() {
    if (__builtin_expect(rehearsal_.is_on(), 0)) EnterAside();
  }

 private:
  [[noreturn]] void LeaveBehind(bool is_blocked);
  void Announce(OpKind kind, Object* object, std::uint64_t site, std::uint8_t size,
                std::uint8_t order, PendingOp* op);
  // An access to memory or another point that never has to wait: who goes on. nullptr: it was
  // reached already, the long way.
  Thread* AnnounceFree(OpKind kind, Object* object, std::uint64_t site, std::uint8_t size,
                       std::uint8_t order);
  Thread* AnnounceAtomic(OpKind kind, Object* object, std::uint64_t site, std::uint8_t size,
                         std::uint8_t order);
  // Lets `next` go on until it is this thread's turn. False: that was done, the long way.
  [[gnu::always_inline]] bool GoOnWith(Thread* next, OpKind kind, Object* object,
                                       std::uint64_t site, std::uint8_t size, std::uint8_t order) {
    if (__builtin_expect(next == nullptr, 0)) return false;
    Thread* const self = current_;
    if (next != self) {
      SwitchTo(next);
      // A signal that came meanwhile is handled before the operation.
      if (__builtin_expect(self->needs_attention, 0)) {
        ReachOrWait({.kind = kind, .object = object, .site = site, .size = size, .order = order});
        return false;
      }
    }
    SetReached(object, nullptr);
    return true;
  }
  // Whether the event to be recorded is one of which nothing else is to be asked: no loop that is
  // rehearsed or awaited, no time-out, no second object, no limit.
  bool IsUsual(const Thread& thread) const {
    return recorder_.is_usual() && reached_second_ == nullptr &&
           thread.granted == Outcome::kNormal && !thread.has_awaited && !rehearsal_.is_on();
  }
  Event* RecordUsual(Thread* thread, const PendingOp& op, OpKind kind, Object* object,
                     std::uint64_t value, ThreadId other);
  Event* RecordUnusual(std::uint64_t value, ThreadId other);
  Event* RecordDirectlyHere(OpKind kind, Object* object, std::uint64_t site, std::uint8_t size);
  // What every event means for the run: its thread's loop, the policy.
  void Recorded(Thread* thread, Event* event, Object* object);
  [[noreturn]] void EndAtLimit();
  bool IsUnusualAt(std::uint64_t site) const;
  Outcome ReachOrWait(const Reaching& what);
  static bool IsReady(const Thread& thread);
  Outcome ReachOnceHere(const Reaching& what);
  Outcome ReachOnce(const Reaching& what);  // out of line: where signals came in between
  // What was announced, once it is known whether it is a round of an await.
  Outcome GoOnOrWaitHere(const Reaching& what, bool awaits);
  Outcome GoOnOrWait(const Reaching& what, bool awaits);
  // Signals and the like that came in between; then the operation is reached again.
  Outcome AttendTo(const Reaching& what, Outcome outcome);
  // Time lets it go on only when nobody else can.
  bool WaitsForIdle(const Thread& thread) const;
  // Of the threads that time can let go on, the one whose turn comes first; kNoThread: none.
  ThreadId FirstDue() const;
  // Ends the run when what it acts on is memory that is no longer the program's.
  void CheckAlive(OpKind kind, const Object* object);
  bool IsPossible(const Thread& thread, OpKind kind, const Object* object) const;
  bool IsPossibleElse(const Thread& thread, OpKind kind, const Object* object) const;
  bool CanProceed(const Thread& thread, OpKind kind, const Object* object) const;
  Outcome EndedAs(Thread* self, const Object* object);
  void SetReached(Object* object, Object* second) {
    reached_object_ = object;
    reached_second_ = second;
  }
  void EndWait(Thread* thread);
  bool AwaitOutside();
  bool AwaitNetwork();
  bool FindUnseenBytes();
  void Link(Thread* thread, Object* object);
  void Unlink(Thread* thread);
  void SetEnabled(ThreadId thread, bool enabled) {
    SetBit(enabled_, enabled_count_, thread, enabled);
  }
  void SetTimed(ThreadId thread, bool timed) { SetBit(timed_, timed_count_, thread, timed); }
  void SetEager(ThreadId thread, bool eager) { SetBit(eager_, eager_count_, thread, eager); }
  std::uint64_t CollectOptions();
  bool CorrectOptions();
  std::uint64_t CollectTimedOptions();
  void ClearOptions();
  bool IsEnabled(ThreadId t) const { return RunView::Has(enabled_, t); }
  // Of the running thread, if it can go on: nobody else can, and nobody is asked.
  bool IsOnlyOne() const {
    return enabled_count_ == 1 && (timed_count_ | eager_count_) == 0 && awaiting_.empty();
  }
  Thread* GoOnAlone() {
    chosen_ = current_;
    current_->granted = Outcome::kNormal;
    return current_;
  }
  Thread* Pick() { return IsOnlyOne() && IsEnabled(current_->id) ? GoOnAlone() : PickAmong(); }
  Thread* PickAmong();
  Thread* PickEager();
  // `among`: the options' threads, of the first 64. `continues`: one of the options is that
  // `current` goes on.
  std::size_t Ask(const Decision& decision, std::uint64_t among, bool continues);
  // Before a decision (worker/checkpoint.cc): this process stays here, a copy of it goes on.
  void LeaveCheckpoint();
  void AwaitNextCheckpoint();
  // Which of `options_`, asked by the running thread while it does something.
  std::size_t AskCurrent(DecisionKind kind);
  void SwitchTo(Thread* next);
  void Activate(Thread* next);
  void UseStackOf(const Thread& thread);
  void CheckForCycle(Thread* thread);
  // Busy waiting (scheduler/spin.h).
  void TellSpin(Thread* thread) {
    if (thread->last_event == nullptr) return;
    thread->spin.Did(*thread->last_event, thread->last_object, thread->changed_nothing);
    if (__builtin_expect(thread->rounds != nullptr, 0)) TellRounds(thread);
    thread->last_event = nullptr;
  }
  void TellRounds(Thread* thread);
  bool ComesRound(Thread* thread);
  bool ComesToKnownLoop(Thread* thread, std::uint64_t site);
  bool MayAwait(const Thread& thread) const;
  bool MayStandStill(const Thread& thread) const;
  void Watch(const Thread& thread, bool was_watched);
  void NoteWriteInLoop(const void* address);
  // Grows with every event that may have changed what a loop that nobody sees waits for.
  std::uint64_t Progress() const { return recorder_.events() - unseen_rounds_; }
  void ReconsiderPending(Object* object);
  void ReconsiderAwaits();
  Thread* RoundAgain();
  bool MayGoRound(Thread* thread);
  Event* RecordAside(std::uint64_t value, ThreadId other);
  void DropAside();
  void EnterAside();
  void CompleteWrite() {
    races_.Settle();
    if (__builtin_expect(unfinished_write_ != nullptr, 0)) ReadBack();
  }
  void ReadBack();
  std::uint32_t Context() const { return call_sites_ == 0 ? 0 : HashOfCallSites(); }
  std::uint32_t HashOfCallSites() const;
  // `key` names its object in every run.
  Thread* NewThread(std::uint64_t path_hash, std::uint64_t key);
  Thread* NewThreadHere(std::uint64_t path_hash, std::uint64_t key);
  void WidenSets(std::size_t words);
  void SetStraight() { goes_straight_ = is_plain_ && held_ == 0; }
  // The tables that policies see have grown, or lie elsewhere.
  void SetView() {
    view_ = {pending_, live_, enabled_, recorder_.objects(), recorder_.threads(), this};
  }
  void ForgetStack(Shell* shell);
  void TakeTables();  // of the run before, emptied: nothing is allocated again
  void LeaveTables();

  Channel* channel_;
  HeddleHot* hot_;
  Recorder recorder_;
  Races races_;
  MemoryFaults memory_faults_;
  Monitors monitors_;
  Replay replay_;
  static constexpr std::uint64_t kNoCheckpoint = ~std::uint64_t{0};
  std::uint64_t checkpoint_at_ = kNoCheckpoint;  // decision
  Policy* policy_ = nullptr;                     // the process's: it begins anew with every run
  bool policy_watches_ = false;
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  std::uint64_t step_limit_ = kNoLimit;  // events; none before the run begins

  ThreadTable threads_;
  PendingTable pending_;
  ThreadSet live_, enabled_, timed_, eager_;
  std::uint32_t live_count_ = 0;
  std::uint32_t most_live_ = 0;
  std::uint32_t unjoined_count_ = 0;  // threads that were made and not joined, alive or not
  std::uint32_t enabled_count_ = 0;
  std::uint32_t timed_count_ = 0;
  std::uint32_t eager_count_ = 0;
  ThreadId next_to_start_ = kMainThread + 1;  // all before it have started: they do so in order
  RunView view_;
  std::vector<Option> options_;
  std::uint64_t options_are_ = 0;  // these threads, if they are all and none times out; 0 = unknown
  std::vector<Thread*> awaiting_;
  std::uint64_t unseen_rounds_ = 0;  // events that were no more than that
  bool has_told_unseen_ = false;     // ... as something uncontrolled
  Rehearsal rehearsal_;
  RunningOut running_out_;

  Thread* current_ = nullptr;
  Thread* chosen_ = nullptr;          // who was let go on last, other than for an eager operation
  Object* reached_object_ = nullptr;  // of the operation to be recorded
  Object* reached_second_ = nullptr;
  std::uint64_t clock_ = 0;
  Object* clock_object_ = nullptr;
  PendingSignals process_signals_;  // that no thread wanted so far
  int held_ = 0;
  bool early_timeout_ = false;
  bool going_on_ = false;     // behind a failure
  bool has_ended_ = false;    // by a process-exit
  std::uint32_t parked_ = 0;  // failures so far that did not count
  bool is_alone_ = true;
  bool is_plain_ = false;  // no focus, no anchors, no known loops: every operation is like the last
  bool goes_straight_ = false;         // ... and nothing is held
  std::uint64_t call_sites_ = 0;       // of an operation's context
  bool is_fair_ = false;               // the policy lets every thread go on again and again
  Event* unfinished_write_ = nullptr;  // detail: its value is known when the thread comes back
  const void* unfinished_address_ = nullptr;

  // Another thread asks this one to capture its stack and switch straight back.
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_SCHEDULER_H_
