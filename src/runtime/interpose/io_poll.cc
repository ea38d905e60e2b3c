// poll and select: waits for several descriptors at once.
#include <poll.h>
#include <sys/select.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_several.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/looks.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/real.h"

namespace heddle {
namespace {

// --- poll

struct PollSet {
  pollfd* entries;
  nfds_t count;
};

bool IsFedFrom(int descriptor) {
  return descriptor >= 0 && outside::IsFed() && outside::IsOutside(descriptor);
}

// Peers outside that are fed are not asked: the recording answers for them.
int PollNow(const PollSet& set) {
  if (!outside::IsFed()) return real::poll(set.entries, set.count, 0);
  const EngineScope scope;
  std::vector<pollfd> inside(set.entries, set.entries + set.count);
  for (pollfd& one : inside) one.fd = IsFedFrom(one.fd) ? -1 : one.fd;
  int ready = real::poll(inside.data(), set.count, 0);
  for (nfds_t i = 0; ready >= 0 && i < set.count; ++i) {
    pollfd& one = set.entries[i];
    const bool is_fed = IsFedFrom(one.fd);
    one.revents = is_fed ? outside::EventsOf(one.fd, one.events) : inside[i].revents;
    ready += is_fed && one.revents != 0 ? 1 : 0;
  }
  return ready;
}

bool IsPollReady(void* argument) { return PollNow(*static_cast<PollSet*>(argument)) != 0; }

bool HasOutside(const PollSet& set) {
  return std::any_of(set.entries, set.entries + set.count,
                     [](const pollfd& one) { return one.fd >= 0 && outside::IsOutside(one.fd); });
}

void DescribePoll(void* argument, IoWait* wait) {
  const auto& set = *static_cast<PollSet*>(argument);
  Look look;
  for (nfds_t i = 0; i < set.count; ++i) look.Add(set.entries[i].fd, set.entries[i].events);
  look.Describe(wait);
}

int Poll(Scheduler* scheduler, PollSet set, const Deadline& deadline, std::uint64_t site) {
  bool is_outside = HasOutside(set);
  IoWait wait = {.kind = OpKind::kPoll,
                 .is_ready = IsNow(scheduler, deadline) ? nullptr : IsPollReady,
                 .argument = &set,
                 .describe = DescribePoll,
                 .deadline = deadline,
                 .is_outside = is_outside,
                 .restarts = false,
                 .site = site};
  DescribePoll(&set, &wait);
  const Outcome outcome = AwaitIo(scheduler, wait);
  if (outcome == kInterrupted) return -1;
  is_outside = is_outside || (scheduler->current()->hears_outside && HasOutside(set));
  const auto result =
      static_cast<int>(Ask(scheduler, is_outside, {set.entries, set.count * sizeof(pollfd)},
                           [&] { return PollNow(set); }));
  const bool looked = FinishIo(scheduler, result)->kind == OpKind::kLook;
  for (nfds_t i = 0; looked && result > 0 && i < set.count; ++i) {
    const pollfd& one = set.entries[i];
    Look::Found(scheduler, one.fd, one.events, one.revents);
  }
  return result;
}

// --- select

struct SelectSet {
  int count;
  fd_set* sets[3];
};

// What of a set the system may touch.
std::size_t SizeOfSet(int count) {
  const auto words = (static_cast<std::size_t>(std::max(count, 0)) + 63) / 64;
  return std::min(words * 8, sizeof(fd_set));
}

int SelectNow(const SelectSet& set, fd_set* const* results) {
  timeval zero = {};
  fd_set fed[3] = {};
  int ready = 0;
  for (int i = 0; i < 3; ++i) {
    if (set.sets[i] == nullptr) continue;
    if (results[i] != set.sets[i]) *results[i] = *set.sets[i];
    for (int one = 0; outside::IsFed() && one < set.count; ++one) {
      if (!FD_ISSET(one, results[i]) || !IsFedFrom(one)) continue;
      FD_CLR(one, results[i]);
      if (i == 2 || outside::EventsOf(one, i == 0 ? POLLIN : POLLOUT) == 0) continue;
      FD_SET(one, &fed[i]);
      ++ready;
    }
  }
  const int inside = real::select(set.count, set.sets[0] == nullptr ? nullptr : results[0],
                                  set.sets[1] == nullptr ? nullptr : results[1],
                                  set.sets[2] == nullptr ? nullptr : results[2], &zero);
  if (inside < 0 || ready == 0) return inside;
  for (int i = 0; i < 2; ++i) {
    for (int one = 0; one < set.count; ++one) {
      if (FD_ISSET(one, &fed[i])) FD_SET(one, results[i]);
    }
  }
  return inside + ready;
}

bool IsSelectReady(void* argument) {
  fd_set scratch[3];
  fd_set* const results[3] = {&scratch[0], &scratch[1], &scratch[2]};
  return SelectNow(*static_cast<SelectSet*>(argument), results) != 0;
}

bool HasOutside(const SelectSet& set) {
  for (int descriptor = 0; descriptor < set.count; ++descriptor) {
    for (const fd_set* one : set.sets) {
      if (one != nullptr && FD_ISSET(descriptor, one) && outside::IsOutside(descriptor)) {
        return true;
      }
    }
  }
  return false;
}

// In the words of poll; after what is exceptional nobody asks of a channel.
short AskedOf(const SelectSet& set, int descriptor) {
  constexpr short kEvents[3] = {POLLIN, POLLOUT, POLLPRI};
  short events = 0;
  for (int i = 0; i < 3; ++i) {
    if (set.sets[i] != nullptr && FD_ISSET(descriptor, set.sets[i])) events |= kEvents[i];
  }
  return events;
}

Look LookAt(const SelectSet& set) {
  Look look;
  for (int descriptor = 0; descriptor < set.count; ++descriptor) {
    if (const short events = AskedOf(set, descriptor); events != 0) look.Add(descriptor, events);
  }
  return look;
}

void DescribeSelect(void* argument, IoWait* wait) {
  LookAt(*static_cast<SelectSet*>(argument)).Describe(wait);
}

int Select(Scheduler* scheduler, SelectSet set, const Deadline& deadline, std::uint64_t site) {
  bool is_outside = HasOutside(set);
  IoWait wait = {.kind = OpKind::kPoll,
                 .is_ready = IsNow(scheduler, deadline) ? nullptr : IsSelectReady,
                 .argument = &set,
                 .describe = DescribeSelect,
                 .deadline = deadline,
                 .is_outside = is_outside,
                 .restarts = false,
                 .site = site};
  DescribeSelect(&set, &wait);
  const Outcome outcome = AwaitIo(scheduler, wait);
  if (outcome == kInterrupted) return -1;
  is_outside = is_outside || (scheduler->current()->hears_outside && HasOutside(set));
  fd_set filled[3] = {};
  fd_set* const results[3] = {&filled[0], &filled[1], &filled[2]};
  const auto result = static_cast<int>(
      Ask(scheduler, is_outside, {filled, sizeof filled}, [&] { return SelectNow(set, results); }));
  for (int i = 0; i < 3; ++i) {
    if (set.sets[i] != nullptr) std::memcpy(set.sets[i], &filled[i], SizeOfSet(set.count));
  }
  const bool looked = FinishIo(scheduler, result)->kind == OpKind::kLook;
  for (int i = 0; looked && result > 0 && i < set.count; ++i) {
    Look::Found(scheduler, i, AskedOf(set, i), AskedOf({set.count, {&filled[0], &filled[1]}}, i));
  }
  return result;
}

}  // namespace
}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int poll(pollfd* entries, nfds_t count, int milliseconds) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::poll(entries, count, milliseconds);
  return heddle::Poll(scheduler, {entries, count},
                      heddle::AfterMilliseconds(scheduler, milliseconds, HEDDLE_CALLER),
                      HEDDLE_CALLER);
}

HEDDLE_EXPORT int ppoll(pollfd* entries, nfds_t count, const timespec* time, const sigset_t* mask) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::ppoll(entries, count, time, mask);
  if (time != nullptr && !heddle::IsLength(*time)) return heddle::RefuseTime();
  const heddle::MaskScope scope(scheduler, mask);
  return heddle::Poll(scheduler, {entries, count}, heddle::After(scheduler, time, HEDDLE_CALLER),
                      HEDDLE_CALLER);
}

HEDDLE_EXPORT int select(int count, fd_set* __restrict reads, fd_set* __restrict writes,
                         fd_set* __restrict errors, timeval* __restrict time) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::select(count, reads, writes, errors, time);
  if (time != nullptr && (time->tv_sec < 0 || time->tv_usec < 0)) return heddle::RefuseTime();
  constexpr suseconds_t kMicroseconds = 1'000'000;  // more of them are whole seconds
  timespec precise = {};
  if (time != nullptr) {
    precise = {time->tv_sec + time->tv_usec / kMicroseconds, time->tv_usec % kMicroseconds * 1000};
  }
  const heddle::Deadline deadline =
      heddle::After(scheduler, time == nullptr ? nullptr : &precise, HEDDLE_CALLER);
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
  if (time != nullptr && !heddle::IsLength(*time)) return heddle::RefuseTime();
  const heddle::MaskScope scope(scheduler, mask);
  return heddle::Select(scheduler, {count, {reads, writes, errors}},
                        heddle::After(scheduler, time, HEDDLE_CALLER), HEDDLE_CALLER);
}
