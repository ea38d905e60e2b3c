// Threads that do not go on: asleep until they are woken, or left behind where they failed.
#include "runtime/engine.h"
#include "runtime/scheduler/reaching.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/stacks.h"

namespace heddle {
namespace {

// A stack to be captured by whoever it belongs to.
struct Capture {
  Recorder* recorder;
  ThreadId thread;
  std::uint64_t site;
};

void CaptureHere(void* argument) {
  const auto& capture = *static_cast<const Capture*>(argument);
  capture.recorder->SetThreadStack(capture.thread, CaptureInto(capture.recorder, capture.site));
}

}  // namespace

Outcome Scheduler::SleepIn(Object* queue, const Reaching& what) {
  Thread* const self = current_;
  self->woken = false;
  queue->waiters.Add(self->id);
  const Outcome outcome = Reach(what);
  if (outcome != Outcome::kNormal) {
    queue->waiters.Remove(self->id);
  } else {
    SetReached(what.object, nullptr);  // who was woken let no time pass
  }
  self->relock = nullptr;
  return outcome;
}

void Scheduler::Wake(Object* queue, ThreadId id) {
  Thread* const thread = threads_[id];
  queue->waiters.Remove(id);
  thread->woken = true;
  recorder_.Woke(*current_, *thread);
  if (thread->is_attending) return;  // it looks when its handler is done
  SetTimed(id, false);
  if (thread->relock == nullptr) {
    SetEager(id, true);
    return;
  }
  pending_[id].kind = OpKind::kLock;
  pending_[id].object = thread->relock->id;
  pending_[id].second = kNoObject;
  pending_[id].SetTimed(false);
  Link(thread, thread->relock);
  SetEnabled(id, thread->relock->mutex.CanLock(id, thread->lock_kind));
}

void Scheduler::Relocking(Object* mutex) {
  recorder_.Announce(mutex);
  SetReached(mutex, nullptr);
}

void Scheduler::ReachedInstead(Object* object) {
  recorder_.Announce(object);
  reached_object_ = object;
  pending_[current_->id].object = object->id;
}

void Scheduler::CaptureAllStacks() {
  Thread* const self = current_;
  if (!recorder_.recording()) return;
  const EngineScope scope;
  if (!self->ended) {
    recorder_.SetThreadStack(self->id, CaptureInto(&recorder_, 0));
  }
  for (Thread* thread : threads_) {
    if (thread == self || thread->ended || !thread->started) continue;
    Capture capture = {&recorder_, thread->id, pending_[thread->id].site};
    Shells::Visit(self->shell, thread->shell, CaptureHere, &capture);
  }
}

void Scheduler::StoreThreads() {
  for (const Thread* thread : threads_) {
    if (thread->ended || thread->left_behind) {
      recorder_.StoreEnd(thread->id);
    } else {
      recorder_.StorePending(thread->id, pending_[thread->id], thread->expected,
                             IsEnabled(thread->id), thread->stands);
    }
  }
}

void Scheduler::GoOnWithout(bool is_blocked) {
  going_on_ = true;
  LeaveBehind(is_blocked);
}

void Scheduler::Park(bool is_blocked) {
  ++parked_;
  LeaveBehind(is_blocked);
}

void Scheduler::LeaveBehind(bool is_blocked) {
  Thread* const self = current_;
  self->left_behind = !is_blocked;
  SetEnabled(self->id, false);
  SetTimed(self->id, false);
  SetEager(self->id, false);
  held_ = 0;
  SetStraight();
  engine.hot.active = engine.hot.when_active;
  Thread* const next = Pick();
  Activate(next);
  for (;;) Shells::Switch(self->shell, next->shell);
}

}  // namespace heddle
