#include "runtime/scheduler/rehearsal.h"

#include <algorithm>
#include <utility>

#include "runtime/scheduler/reaching.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/stacks.h"
#include "runtime/scheduler/unseen_state.h"

namespace heddle {
namespace {

// After so many rounds all memory is looked at, to be compared after as many more.
constexpr std::uint32_t kRounds = 512;
constexpr std::uint32_t kMostRounds = 8 * 1024;

AsideEvent aside[Rehearsal::kMostEvents];

}  // namespace

AsideEvent* Rehearsal::Add() {
  aside[count_] = AsideEvent();
  return &aside[count_++];
}

void Rehearsal::Accessed(std::uint64_t address, std::uint64_t size, bool is_atomic,
                         MemoryOrder order) {
  if (count_ == 0) return;
  AsideEvent& last = aside[count_ - 1];
  last.address = address;
  last.size = size;
  last.order = order;
  last.is_atomic = is_atomic;
}

const AsideEvent& Rehearsal::At(std::uint32_t index) const { return aside[index]; }

// Twice `kRounds` rounds in any case, and more as long as memory shows that something goes on, be
// it not what the program waits for. A loop that does so for very long is no await, and the limits
// of a run apply to it.
bool Scheduler::MayGoRound(Thread* thread) {
  const std::uint32_t rounds = thread->spin.rehearsed();
  if (rounds == 0 || rounds % kRounds != 0) return true;
  const std::uint64_t before = std::exchange(thread->unseen, HashOfMemory());
  if (rounds == kRounds) return true;
  if (before == thread->unseen) return false;
  if (rounds >= kMostRounds) thread->never_awaits = true;
  return true;
}

// Nobody can go on but by a loop that seems to stand still. nullptr: all have gone round often
// enough. The one that does so already goes on: otherwise its round would never be complete.
Thread* Scheduler::RoundAgain() {
  Thread* next = nullptr;
  for (Thread* const thread : awaiting_) {
    if (thread->is_still || !CanProceed(*thread, pending_[thread->id].kind, thread->blocked_on)) {
      continue;
    }
    if (next == nullptr || thread == current_) next = thread;
  }
  if (next != nullptr && !MayGoRound(next)) {
    next->is_still = true;
    return RoundAgain();
  }
  if (next == nullptr) return nullptr;
  next->goes_round = true;
  next->spin.GoRound();
  next->granted = Outcome::kNormal;
  rehearsal_.Begin(next, channel_->frame_count);
  races_.KeepAside(&rehearsal_);
  chosen_ = next;
  return next;
}

Event* Scheduler::RecordAside(std::uint64_t value, ThreadId other) {
  const PendingOp& op = pending_[current_->id];
  const bool fits = current_ == rehearsal_.thread() && current_->spin.is_rehearsing() &&
                    Spin::MayRepeat(op.kind) && op.size <= 8 && !rehearsal_.is_full() &&
                    current_->granted == Outcome::kNormal;
  if (!fits) {
    EnterAside();
    return nullptr;
  }
  AsideEvent* const kept = rehearsal_.Add();
  kept->op = op;
  kept->object = reached_object_;
  kept->second = reached_second_;
  kept->event = {.site = op.site,
                 .value = value,
                 .object = reached_object_ == nullptr ? kNoObject : reached_object_->id,
                 .context = op.context,
                 .thread = current_->id,
                 .other = other,
                 .kind = op.kind,
                 .size = op.size,
                 .order = op.order};
  if (current_->has_awaited) kept->event.flags |= Event::kAwaited;
  current_->has_awaited = false;
  if (recorder_.detail()) kept->stack = CaptureInto(&recorder_, op.site);
  current_->last_event = &kept->event;
  current_->last_object = reached_object_;
  return &kept->event;
}

void Scheduler::DropAside() {
  channel_->frame_count = rehearsal_.frames();
  rehearsal_.End();
  races_.KeepAside(nullptr);
}

void Scheduler::EnterAside() {
  Thread* const thread = rehearsal_.thread();
  thread->stands = false;
  rehearsal_.End();
  races_.KeepAside(nullptr);
  for (std::uint32_t i = 0; i < rehearsal_.count(); ++i) {
    const AsideEvent& kept = rehearsal_.At(i);
    races_.Settle();
    const std::uint64_t index = recorder_.events();
    const bool failed = (kept.event.flags & Event::kFailed) != 0;
    if (failed) recorder_.Fails(&kept.op);
    Event* const event = recorder_.Add(thread, kept.op, kept.object, kept.second);
    if (failed) recorder_.Fails(nullptr);
    event->value = kept.event.value;
    event->other = kept.event.other;
    event->order = kept.event.order;
    event->flags |= kept.event.flags;
    if (recorder_.detail()) recorder_.SetEventStack(index, kept.stack);
    races_.Expect(event, event->kind, index, kept.object, kept.second);
    if (kept.size != 0) {
      const auto at = static_cast<std::uint32_t>(index);
      if (kept.is_atomic) {
        races_.Atomic(*event, at, kept.address, kept.order);
      } else {
        races_.Plain(*event, at, kept.address, kept.size);
      }
    }
    const bool is_watched = policy_watches_ && recorder_.events() > policy_->watches_from();
    if (is_watched) policy_->Observe(*event, View());
  }
}

}  // namespace heddle
