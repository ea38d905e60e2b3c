// poll, select and epoll: waits for several descriptors at once.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/real.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

// A mask that holds during one wait.
class MaskScope {
 public:
  MaskScope(Scheduler* scheduler, const sigset_t* mask)
      : thread_(scheduler->current()), before_(thread_->signal_mask) {
    if (mask != nullptr) thread_->signal_mask = *mask;
  }
  ~MaskScope() { thread_->signal_mask = before_; }
  MaskScope(const MaskScope&) = delete;
  MaskScope& operator=(const MaskScope&) = delete;

 private:
  Thread* thread_;
  sigset_t before_;
};

Deadline AfterMilliseconds(const Scheduler* scheduler, int milliseconds) {
  if (milliseconds < 0) return {};
  return {true, scheduler->Now() + static_cast<std::uint64_t>(milliseconds) * kMillisecond};
}

Deadline After(Scheduler* scheduler, const timespec* time) {
  return time == nullptr ? Deadline() : DeadlineIn(scheduler, time);
}

bool IsNow(const Scheduler* scheduler, const Deadline& deadline) {
  return deadline.is_set && deadline.at <= scheduler->Now();
}

// --- poll

struct PollSet {
  pollfd* entries;
  nfds_t count;
};

int PollNow(const PollSet& set) { return real::poll(set.entries, set.count, 0); }

bool IsPollReady(void* argument) { return PollNow(*static_cast<PollSet*>(argument)) != 0; }

int Poll(Scheduler* scheduler, PollSet set, const Deadline& deadline, std::uint64_t site) {
  bool is_outside = false;
  for (nfds_t i = 0; i < set.count; ++i) {
    is_outside |= set.entries[i].fd >= 0 && !IsInside(set.entries[i].fd);
  }
  const Outcome outcome =
      AwaitIo(scheduler, {.kind = OpKind::kPoll,
                          .is_ready = IsNow(scheduler, deadline) ? nullptr : IsPollReady,
                          .argument = &set,
                          .deadline = deadline,
                          .is_outside = is_outside,
                          .site = site});
  if (outcome == kInterrupted) return -1;
  const int result = PollNow(set);
  FinishIo(scheduler, result);
  return result;
}

// --- select

struct SelectSet {
  int count;
  fd_set* sets[3];
};

int SelectNow(const SelectSet& set, fd_set* const* results) {
  timeval zero = {};
  for (int i = 0; i < 3; ++i) {
    if (set.sets[i] != nullptr && results[i] != set.sets[i]) *results[i] = *set.sets[i];
  }
  return real::select(set.count, set.sets[0] == nullptr ? nullptr : results[0],
                      set.sets[1] == nullptr ? nullptr : results[1],
                      set.sets[2] == nullptr ? nullptr : results[2], &zero);
}

bool IsSelectReady(void* argument) {
  fd_set scratch[3];
  fd_set* const results[3] = {&scratch[0], &scratch[1], &scratch[2]};
  return SelectNow(*static_cast<SelectSet*>(argument), results) != 0;
}

int Select(Scheduler* scheduler, SelectSet set, const Deadline& deadline, std::uint64_t site) {
  bool is_outside = false;
  for (int descriptor = 0; descriptor < set.count; ++descriptor) {
    for (const fd_set* one : set.sets) {
      is_outside |= one != nullptr && FD_ISSET(descriptor, one) && !IsInside(descriptor);
    }
  }
  const Outcome outcome =
      AwaitIo(scheduler, {.kind = OpKind::kPoll,
                          .is_ready = IsNow(scheduler, deadline) ? nullptr : IsSelectReady,
                          .argument = &set,
                          .deadline = deadline,
                          .is_outside = is_outside,
                          .site = site});
  if (outcome == kInterrupted) return -1;
  const int result = SelectNow(set, set.sets);
  FinishIo(scheduler, result);
  return result;
}

// --- epoll

// What epoll sets watch.
struct Watched {
  int set, descriptor;
};
std::vector<Watched>* watched = nullptr;

// Whether somebody outside the process may make it ready.
bool WatchesOutside(int set) {
  if (watched == nullptr) return false;
  return std::any_of(watched->begin(), watched->end(), [set](const Watched& entry) {
    return entry.set == set && !IsInside(entry.descriptor);
  });
}

bool IsEpollReady(void* argument) {
  pollfd one = {*static_cast<int*>(argument), POLLIN, 0};
  return RawSyscall(SYS_poll, reinterpret_cast<long>(&one), 1, 0) > 0;
}

int EpollWait(Scheduler* scheduler, int set, epoll_event* events, int most,
              const Deadline& deadline, std::uint64_t site) {
  for (;;) {
    const bool is_outside = WatchesOutside(set);
    const bool is_now = IsNow(scheduler, deadline);
    const Outcome outcome = AwaitIo(scheduler, {.kind = OpKind::kPoll,
                                                .is_ready = is_now ? nullptr : IsEpollReady,
                                                .argument = &set,
                                                .deadline = deadline,
                                                .is_outside = is_outside,
                                                .site = site});
    if (outcome == kInterrupted) return -1;
    const int result = real::epoll_wait(set, events, most, 0);
    FinishIo(scheduler, result);
    // What looked ready may be gone again.
    if (result != 0 || is_now || outcome == Outcome::kTimeout) return result;
  }
}

}  // namespace

void ForgetWatched(int descriptor) {
  if (watched == nullptr) return;
  std::erase_if(*watched, [descriptor](const Watched& entry) {
    return entry.set == descriptor || entry.descriptor == descriptor;
  });
}

}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int poll(pollfd* entries, nfds_t count, int milliseconds) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::poll(entries, count, milliseconds);
  return heddle::Poll(scheduler, {entries, count},
                      heddle::AfterMilliseconds(scheduler, milliseconds), HEDDLE_CALLER);
}

HEDDLE_EXPORT int ppoll(pollfd* entries, nfds_t count, const timespec* time, const sigset_t* mask) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::ppoll(entries, count, time, mask);
  const heddle::MaskScope scope(scheduler, mask);
  return heddle::Poll(scheduler, {entries, count}, heddle::After(scheduler, time), HEDDLE_CALLER);
}

HEDDLE_EXPORT int select(int count, fd_set* __restrict reads, fd_set* __restrict writes,
                         fd_set* __restrict errors, timeval* __restrict time) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::select(count, reads, writes, errors, time);
  timespec precise = {};
  if (time != nullptr) precise = {time->tv_sec, time->tv_usec * 1000};
  const heddle::Deadline deadline = heddle::After(scheduler, time == nullptr ? nullptr : &precise);
  const int result =
      heddle::Select(scheduler, {count, {reads, writes, errors}}, deadline, HEDDLE_CALLER);
  if (time != nullptr) {  // Linux leaves the time that was left
    const std::uint64_t now = scheduler->Now();
    const std::uint64_t rest = deadline.at > now ? deadline.at - now : 0;
    *time = {static_cast<time_t>(rest / heddle::kSecond),
             static_cast<suseconds_t>(rest % heddle::kSecond / 1000)};
  }
  return result;
}

HEDDLE_EXPORT int pselect(int count, fd_set* __restrict reads, fd_set* __restrict writes,
                          fd_set* __restrict errors, const timespec* __restrict time,
                          const sigset_t* __restrict mask) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::pselect(count, reads, writes, errors, time, mask);
  const heddle::MaskScope scope(scheduler, mask);
  return heddle::Select(scheduler, {count, {reads, writes, errors}}, heddle::After(scheduler, time),
                        HEDDLE_CALLER);
}

HEDDLE_EXPORT int epoll_wait(int set, epoll_event* events, int most, int milliseconds) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::epoll_wait(set, events, most, milliseconds);
  return heddle::EpollWait(scheduler, set, events, most,
                           heddle::AfterMilliseconds(scheduler, milliseconds), HEDDLE_CALLER);
}

HEDDLE_EXPORT int epoll_pwait(int set, epoll_event* events, int most, int milliseconds,
                              const sigset_t* mask) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::epoll_pwait(set, events, most, milliseconds, mask);
  const heddle::MaskScope scope(scheduler, mask);
  return heddle::EpollWait(scheduler, set, events, most,
                           heddle::AfterMilliseconds(scheduler, milliseconds), HEDDLE_CALLER);
}

// What is watched may change while another thread waits.
HEDDLE_EXPORT int epoll_ctl(int set, int operation, int descriptor, epoll_event* event) noexcept {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::epoll_ctl(set, operation, descriptor, event);
  heddle::AwaitIo(scheduler, {.kind = heddle::OpKind::kDescriptor, .site = HEDDLE_CALLER});
  const int result = real::epoll_ctl(set, operation, descriptor, event);
  if (result == 0 && operation == EPOLL_CTL_ADD) {
    if (heddle::watched == nullptr) heddle::watched = new std::vector<heddle::Watched>();
    heddle::watched->push_back({set, descriptor});
  } else if (result == 0 && operation == EPOLL_CTL_DEL && heddle::watched != nullptr) {
    std::erase_if(*heddle::watched, [&](const heddle::Watched& entry) {
      return entry.set == set && entry.descriptor == descriptor;
    });
  }
  heddle::FinishIo(scheduler, result);
  return result;
}
