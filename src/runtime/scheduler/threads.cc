// Threads: creation, first steps, end.
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "runtime/engine.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/sharing.h"
#include "runtime/scheduler/bits.h"
#include "runtime/scheduler/reaching.h"
#include "runtime/scheduler/recording.h"
#include "runtime/scheduler/rules.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/thread_body.h"
#include "trace/thread_path.h"

namespace heddle {

namespace {

// What the runs of one process hand on to each other, so that none allocates it again.
struct Spare {
  std::vector<Option> options;
  std::vector<Thread*> awaiting;
};
Spare* spare = nullptr;

// Whether it has got something beside its own memory.
bool HasParts(const Thread& thread) {
  return thread.at_end != nullptr || thread.signals.has_memory();
}

// It is joined soon, perhaps: what is looked at then is fetched into the cache meanwhile.
void ExpectJoin(const Thread& thread) {
  __builtin_prefetch(&thread);
  __builtin_prefetch(&thread.ended);
  __builtin_prefetch(&thread.shell->argument);
  __builtin_prefetch(&thread.shell->handle);
}

[[gnu::noinline]] void FreeParts(Thread* thread) { std::destroy_at(thread); }

[[gnu::noinline]] Thread* MakeThread() {
  auto* const thread = new (ArenaReserve(sizeof(Thread))) Thread();
  thread->ring =
      static_cast<std::uint64_t*>(ArenaReserve(sizeof(std::uint64_t) << HEDDLE_CALL_BITS));
  return thread;
}

}  // namespace

Thread* ThreadTable::all_[kMaxThreads];
PendingOp PendingTable::all_[kMaxThreads];

[[gnu::always_inline]] inline Thread* ThreadTable::Add() {
  Thread* thread = all_[count_];
  if (__builtin_expect(thread == nullptr, 0)) thread = all_[count_] = MakeThread();
  std::uint64_t* const ring = thread->ring;
  if (__builtin_expect(HasParts(*thread), 0)) FreeParts(thread);
  new (thread) Thread;
  thread->ring = thread->calls = ring;
  thread->id = static_cast<ThreadId>(count_++);
  return thread;
}

Scheduler::~Scheduler() { LeaveTables(); }

void Scheduler::TakeTables() {
  if (spare == nullptr) spare = new Spare();
  const auto take = [](auto& table, auto& from) {
    table.swap(from);
    table.clear();
  };
  take(options_, spare->options);
  take(awaiting_, spare->awaiting);
  SetView();
}

void Scheduler::LeaveTables() {
  spare->options.swap(options_);
  spare->awaiting.swap(awaiting_);
}

[[gnu::noinline]] void Scheduler::WidenSets(std::size_t words) {
  for (auto* set : {&live_, &enabled_, &timed_, &eager_}) set->Widen(words);
  SetView();
}

[[gnu::always_inline]] inline Thread* Scheduler::NewThreadHere(std::uint64_t path_hash,
                                                               std::uint64_t key) {
  Thread* const thread = threads_.Add();
  thread->path_hash = path_hash;
  pending_.Add();
  const std::size_t words = threads_.size() / 64 + 1;
  if (__builtin_expect(words > live_.size(), 0)) WidenSets(words);
  live_[thread->id / 64] |= std::uint64_t{1} << (thread->id % 64);
  if (++live_count_ > most_live_) most_live_ = live_count_;
  thread->object = Objects::ForThread(thread->id, key);
  view_.pending = pending_;
  return thread;
}

Thread* Scheduler::NewThread(std::uint64_t path_hash, std::uint64_t key) {
  return NewThreadHere(path_hash, key);
}

// Of the thread that was in it before.
[[gnu::noinline]] void Scheduler::ForgetStack(Shell* shell) {
  const std::uint64_t size = shell->stack_top - shell->slot_base;
  if (shell->has_objects) {
    Objects::ForgetRange(shell->slot_base, size);
    races_.Forget(shell->slot_base, size);
    shell->has_objects = false;
  }
  if (shell->age == Sharing::Age()) {
    Sharing::Forget(reinterpret_cast<void*>(shell->slot_base), size);
  }
}

Thread* Scheduler::Create(void* (*routine)(void*), void* argument, std::size_t stack_size,
                          bool detached, std::uint64_t site) {
  if (__builtin_expect(threads_.size() >= kMaxThreads, 0)) {
    Uncontrolled("more than 4096 threads in one run", "pthread_create fails with EAGAIN", site);
    return nullptr;
  }
  Shell* const shell = Shells::Acquire(stack_size);
  if (shell == nullptr) return nullptr;

  Thread* const parent = current_;
  const std::uint16_t nth_child = ++parent->children;
  const std::uint64_t path_hash = ChildPathHash(parent->path_hash, nth_child);
  Thread* const child = NewThreadHere(path_hash, path_hash);
  child->parent = parent->id;
  child->nth_child = nth_child;
  child->shell = shell;
  child->routine = routine;
  child->argument = argument;
  child->detached = detached;
  child->signal_mask = parent->signal_mask;
  child->create_site = site;
  child->float_control.Take();
  shell->path_hash = path_hash;
  shell->run = RunThread;
  shell->end = EndThread;
  shell->argument = child;
  if (shell->used_before && (shell->has_objects || shell->age == Sharing::Age())) {
    ForgetStack(shell);
  }
  is_alone_ = false;
  ++unjoined_count_;
  Sharing::ThreadCreated(child->id, parent->id);
  Sharing::GoOnInNewEpoch(hot_);
  recorder_.AddThread(*child);
  RecordDirectlyHere(OpKind::kCreate, child->object, site, 0)->other = child->id;
  eager_[child->id / 64] |= std::uint64_t{1} << (child->id % 64);
  ++eager_count_;
  return child;
}

void Scheduler::Start() {
  Thread* const self = current_;
  self->started = true;
  self->float_control.Use();
  // A site is a return address: what it names lies before it.
  const std::uint64_t site = reinterpret_cast<std::uint64_t>(self->routine) + 1;
  RecordDirectlyHere(OpKind::kStart, self->object, site, 0);
}

Outcome Scheduler::Join(Thread* target, const Reaching& how) {
  const Outcome outcome = how.timed ? ReachOrWait(how)
                                    : ReachOrWaitHere({.kind = OpKind::kJoin,
                                                       .object = target->object,
                                                       .site = how.site,
                                                       .interruptible = true});
  Event* const event = RecordHere(how.kind, 0, target->id);
  if (outcome != Outcome::kNormal) {
    event->flags |= outcome == Outcome::kTimeout ? Event::kTimedOut : Event::kFailed;
    if (outcome == kInterrupted) Attend();
    return outcome;
  }
  // As a rule they are joined in the order in which they were made.
  if (target->id + 1u < threads_.size()) ExpectJoin(*threads_[target->id + 1]);
  target->joined = true;
  --unjoined_count_;
  Sharing::ThreadJoined(target->id, current_->id);
  Shells::Release(target->shell);
  const std::uint32_t left = current_->id == kMainThread ? 0 : 1;  // this one
  is_alone_ = live_count_ == 1 && unjoined_count_ == left;
  if (is_alone_) {
    Sharing::Quiesced();
    Sharing::SetRunning(hot_, current_->id, is_alone_);
  }
  return outcome;
}

Shell* Scheduler::Finish(void* result) {
  Thread* const self = current_;
  // One of these goes on, as a rule.
  if (self->joiner != kNoThread) threads_[self->joiner]->shell->Expect();
  if (enabled_[0] != 0) {
    threads_[static_cast<std::size_t>(std::countr_zero(enabled_[0]))]->shell->Expect();
  }
  self->result = result;
  self->last_event = nullptr;  // no loop goes on
  // Where its end is an operation of its own, that is what others are in order with.
  RecordDirectlyHere(OpKind::kExit, Rules::Has(Rule::kEnds) ? nullptr : self->object, 0, 0);
  self->ended = true;
  self->shell->is_over = true;
  live_[self->id / 64] &= ~(std::uint64_t{1} << (self->id % 64));
  --live_count_;
  SetEnabled(self->id, false);
  Reconsider(self->object);
  if (self->detached) Shells::Release(self->shell);
  Thread* const next = Pick();
  Activate(next);
  return next->shell;
}

void Scheduler::FinishMain() {
  Shell* const self = current_->shell;
  Shell* const next = Finish(nullptr);
  for (;;) Shells::Switch(self, next);
}

Thread* Scheduler::ThreadOf(pthread_t handle) {
  const Shell* const shell = Shell::OfHandle(handle);
  if (shell == nullptr) return nullptr;
  if (shell == Shells::Main()) return threads_[kMainThread];
  // A shell is used again: the newest thread in it is meant, if it is one of this run.
  auto* const thread = static_cast<Thread*>(shell->argument);
  const bool is_of_run =
      thread != nullptr && thread->id < threads_.size() && thread->shell == shell;
  return is_of_run ? thread : nullptr;
}

}  // namespace heddle
