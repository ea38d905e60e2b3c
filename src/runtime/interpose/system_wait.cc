#include "runtime/interpose/system_wait.h"

#include "base/hash.h"
#include "runtime/engine.h"
#include "runtime/interpose/outside.h"
#include "runtime/worker/copyable.h"

namespace heddle {
namespace {

bool MeansThatItWouldWait(int error) { return error == EAGAIN || error == ENOMSG; }

}  // namespace

std::uint64_t OrderKey(std::uint64_t family, std::uint64_t which) {
  constexpr std::uint64_t kNoAddress = std::uint64_t{1} << 59;
  return kNoAddress | Mix(family, which) >> 6;
}

SystemCall::SystemCall(Scheduler* scheduler, const SystemWait& wait)
    : scheduler_(scheduler), wait_(wait), self_(scheduler->current()) {
  // What the system keeps is not in the memory of the process.
  NoteFileChange();
}

bool SystemCall::IsReady(void* argument) {
  auto* const call = static_cast<SystemCall*>(argument);
  if (call->in_vain_ && call->tried_at_ == FinishedIo()) return false;
  const SystemWait& wait = call->wait_;
  if (wait.can(wait.argument)) return true;
  // Somebody outside may have it since it was announced.
  if (!call->self_->hears_outside && !wait.is_inside(wait.argument)) {
    call->self_->hears_outside = true;
  }
  return false;
}

bool SystemCall::Await() {
  const bool is_outside =
      wait_.waits &&
      (outside::TellsNext(self_->path_hash) ||
       (!outside::IsFed() && !wait_.can(wait_.argument) && !wait_.is_inside(wait_.argument)));
  const Outcome outcome = AwaitIo(scheduler_, {.kind = wait_.kind,
                                               .is_ready = wait_.waits ? IsReady : nullptr,
                                               .argument = this,
                                               .deadline = wait_.deadline,
                                               .is_outside = is_outside,
                                               .cancels = wait_.cancels,
                                               .restarts = wait_.restarts,
                                               .site = wait_.site});
  if (outcome == Outcome::kNormal) return true;
  if (outcome == Outcome::kTimeout) {
    errno = EAGAIN;
    FinishIo(scheduler_, -1)->flags |= Event::kTimedOut;
  }
  return false;
}

bool SystemCall::IsDone(long result) {
  const bool in_vain = result < 0 && wait_.waits && MeansThatItWouldWait(errno);
  const bool gave_up = wait_.releases != nullptr && *wait_.releases;
  if (in_vain && !gave_up) {
    FinishIoInVain(scheduler_);
  } else {
    FinishIo(scheduler_, result);
  }
  tried_at_ = FinishedIo();
  in_vain_ = in_vain;
  if (wait_.order_key == 0) return !in_vain;
  Races& races = scheduler_->races();
  if (wait_.acquires && result >= 0) races.Acquire(self_->id, wait_.order_key);
  if (gave_up) races.Release(self_->id, wait_.order_key);
  return !in_vain;
}

}  // namespace heddle
