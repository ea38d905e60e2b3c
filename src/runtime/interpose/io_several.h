// What poll, select and epoll have in common: they wait for several descriptors at once.
#ifndef HEDDLE_RUNTIME_INTERPOSE_IO_SEVERAL_H_
#define HEDDLE_RUNTIME_INTERPOSE_IO_SEVERAL_H_

#include <signal.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/outside.h"

namespace heddle {

inline constexpr std::uint64_t kMillisecond = 1'000'000;

// A mask that holds during one wait.
class MaskScope {
 public:
  MaskScope(Scheduler* scheduler, const sigset_t* mask)
      : thread_(scheduler->current()), before_(thread_->signal_mask) {
    if (mask == nullptr) return;
    thread_->signal_mask = *mask;
    // What it lets through may have come already.
    const auto is_let_through = [this](int signal) { return !thread_->signal_mask.Has(signal); };
    if (!thread_->signals.HasAny(is_let_through) &&
        !scheduler->process_signals().HasAny(is_let_through)) {
      return;
    }
    // It ends the wait unless there is something to be told at once.
    interrupts_ = true;
    scheduler->Interrupt(thread_, /*at_any_operation=*/true);
  }
  ~MaskScope() {
    thread_->signal_mask = before_;
    const bool is_wanted = thread_->needs_attention || thread_->cancel.is_requested;
    if (interrupts_ && !is_wanted) thread_->interruption = Interruption::kNone;
  }
  MaskScope(const MaskScope&) = delete;
  MaskScope& operator=(const MaskScope&) = delete;

 private:
  Thread* thread_;
  sigset_t before_;
  bool interrupts_ = false;
};

inline Deadline AfterMilliseconds(Scheduler* scheduler, int milliseconds, std::uint64_t site) {
  if (milliseconds < 0) return {};
  return DeadlineIn(scheduler, static_cast<std::uint64_t>(milliseconds) * kMillisecond, site);
}

inline Deadline After(Scheduler* scheduler, const timespec* time, std::uint64_t site) {
  return time == nullptr ? Deadline() : DeadlineIn(scheduler, time, site);
}

// How long a wait may be: what else is asked for is refused.
inline bool IsLength(const timespec& time) { return time.tv_sec >= 0 && IsValid(&time); }

inline int RefuseTime() {
  errno = EINVAL;
  return -1;
}

inline bool IsNow(const Scheduler* scheduler, const Deadline& deadline) {
  return deadline.is_set && deadline.at <= scheduler->Now();
}

struct Filled {
  void* bytes;
  std::size_t size;
};

// What a wait for several descriptors ends with; written down if one of them is outside.
template <typename Look>
long Ask(Scheduler* scheduler, bool is_outside, const Filled& filled, const Look& look) {
  if (!is_outside) return look();
  const std::uint64_t path = scheduler->current()->path_hash;
  long result = 0;
  if (!outside::AnsweredPoll(path, filled.bytes, filled.size, &result)) result = look();
  const int error = errno;
  outside::NotePoll(path, filled.bytes, filled.size, result);
  errno = error;
  return result;
}

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_IO_SEVERAL_H_
