// epoll. What a set touches is told by interpose/watches.h; where that is all descriptors, the
// kernel is asked, and peers outside as the recording has them.
#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_several.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/looks.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/watches.h"

namespace heddle {
namespace {

// Whether somebody outside the process may make it ready.
bool WatchesOutside(int set) {
  const std::vector<Watched>& watched = Watches::All();
  return std::any_of(watched.begin(), watched.end(), [set](const Watched& entry) {
    return entry.set == set && entry.descriptor >= 0 && outside::IsOutside(entry.descriptor);
  });
}

// Fed: peers outside are not the kernel's business.
void DetachFed(int set) {
  if (!outside::IsFed()) return;
  for (Watched& entry : Watches::All()) {
    if (entry.set != set || entry.is_detached || entry.descriptor < 0) continue;
    if (!outside::IsOutside(entry.descriptor)) continue;
    entry.is_detached = true;
    real::epoll_ctl(set, EPOLL_CTL_DEL, entry.descriptor, &entry.event);
  }
}

int EpollNow(int set, epoll_event* events, int most) {
  int count = real::epoll_wait(set, events, most, 0);
  if (count < 0 || !outside::IsFed()) return count;
  for (const Watched& entry : Watches::All()) {
    if (entry.set != set || !entry.is_detached || count == most) continue;
    const short ready =
        outside::EventsOf(entry.descriptor, static_cast<short>(entry.event.events & 0x7fff));
    if (ready == 0) continue;
    events[count] = entry.event;
    events[count++].events = static_cast<std::uint32_t>(ready);
  }
  return count;
}

struct EpollSet {
  int set;
  int most;
};

bool IsEpollReady(void* argument) {
  const int set = static_cast<EpollSet*>(argument)->set;
  DetachFed(set);
  for (std::size_t i = 0; outside::IsFed() && i < Watches::All().size(); ++i) {
    const Watched& entry = Watches::All()[i];
    if (entry.set != set || !entry.is_detached) continue;
    const auto wanted = static_cast<short>(entry.event.events & 0x7fff);
    if (outside::EventsOf(entry.descriptor, wanted) != 0) return true;
  }
  return Watches::IsReady(set);
}

void DescribeWait(void* argument, IoWait* wait) {
  const auto& [set, most] = *static_cast<EpollSet*>(argument);
  Watches::DescribeWait(set, most, wait);
}

// What was found ready others have made so, and who has changed the set.
void Pass(Scheduler* scheduler, int set, const epoll_event* events, int count) {
  const Object* const ready = Watches::Ready(set);
  ForEachInList(ready, [&](const Object* each, std::uint8_t) {
    scheduler->races().Passed(scheduler->current()->id, *each);
  });
  for (int i = 0; i < count; ++i) {
    for (const Watched& entry : Watches::All()) {
      if (entry.set != set || entry.event.data.u64 != events[i].data.u64) continue;
      Look::Found(scheduler, entry.descriptor, static_cast<short>(entry.event.events & 0x7fff),
                  static_cast<short>(events[i].events & 0x7fff));
    }
  }
}

int EpollWait(Scheduler* scheduler, int set, epoll_event* events, int most,
              const Deadline& deadline, std::uint64_t site) {
  EpollSet asked = {set, most};
  for (;;) {
    bool is_outside = WatchesOutside(set);
    const bool is_now = IsNow(scheduler, deadline);
    IoWait wait = {.kind = OpKind::kPoll,
                   .is_ready = is_now ? nullptr : IsEpollReady,
                   .argument = &asked,
                   .describe = DescribeWait,
                   .deadline = deadline,
                   .is_outside = is_outside,
                   .restarts = false,
                   .site = site};
    DescribeWait(&asked, &wait);
    const Outcome outcome = AwaitIo(scheduler, wait);
    if (outcome == kInterrupted) return -1;
    is_outside = is_outside || (scheduler->current()->hears_outside && WatchesOutside(set));
    DetachFed(set);
    const bool is_own = !is_outside && (Watches::IsOwn(set) || Watches::Holds(set));
    const auto room = static_cast<std::size_t>(std::max(most, 0)) * sizeof(epoll_event);
    const auto result = static_cast<int>(Ask(scheduler, is_outside, {events, room}, [&] {
      return is_own ? Watches::Take(set, events, most) : EpollNow(set, events, most);
    }));
    FinishIo(scheduler, result);
    if (is_own && result > 0) Pass(scheduler, set, events, result);
    // What looked ready may be gone again.
    if (result != 0 || is_now || outcome == Outcome::kTimeout) return result;
  }
}

struct Control {
  int set, descriptor;
  const epoll_event* event;
};

void DescribeControl(void* argument, IoWait* wait) {
  const auto& [set, descriptor, event] = *static_cast<Control*>(argument);
  Watches::DescribeControl(set, descriptor, event, wait);
}

// What is watched may change while another thread waits.
int ControlSet(Scheduler* scheduler, int set, int operation, int descriptor, epoll_event* event,
               std::uint64_t site) {
  Control control = {set, descriptor, operation == EPOLL_CTL_DEL ? nullptr : event};
  IoWait wait = {.kind = OpKind::kDescriptor,
                 .argument = &control,
                 .describe = DescribeControl,
                 .cancels = false,
                 .site = site};
  DescribeControl(&control, &wait);
  AwaitIo(scheduler, wait);
  const Watched* const entry = Watches::Find(set, descriptor);
  // The kernel has forgotten one that is fed.
  const int result = entry != nullptr && entry->is_detached && operation != EPOLL_CTL_ADD
                         ? 0
                         : real::epoll_ctl(set, operation, descriptor, event);
  const int error = errno;
  if (result == 0) Watches::Note(set, operation, descriptor, event);
  FinishIo(scheduler, result);
  ForEachInList(Watches::Ready(set), [&](const Object* ready, std::uint8_t) {
    scheduler->races().Ended(scheduler->current()->id, *ready);
  });
  DescribeAgain(scheduler);
  errno = error;
  return result;
}

int Created(int set) {
  if (set >= 0 && IoScheduler() != nullptr) Watches::NewSet(set);
  return set;
}

}  // namespace
}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int epoll_create(int size) noexcept {
  return heddle::Created(HEDDLE_NEXT(epoll_create)(size));
}

HEDDLE_EXPORT int epoll_create1(int flags) noexcept {
  return heddle::Created(HEDDLE_NEXT(epoll_create1)(flags));
}

HEDDLE_EXPORT int epoll_wait(int set, epoll_event* events, int most, int milliseconds) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::epoll_wait(set, events, most, milliseconds);
  return heddle::EpollWait(scheduler, set, events, most,
                           heddle::AfterMilliseconds(scheduler, milliseconds, HEDDLE_CALLER),
                           HEDDLE_CALLER);
}

HEDDLE_EXPORT int epoll_pwait(int set, epoll_event* events, int most, int milliseconds,
                              const sigset_t* mask) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::epoll_pwait(set, events, most, milliseconds, mask);
  const heddle::MaskScope scope(scheduler, mask);
  return heddle::EpollWait(scheduler, set, events, most,
                           heddle::AfterMilliseconds(scheduler, milliseconds, HEDDLE_CALLER),
                           HEDDLE_CALLER);
}

HEDDLE_EXPORT int epoll_pwait2(int set, epoll_event* events, int most, const timespec* time,
                               const sigset_t* mask) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return HEDDLE_NEXT(epoll_pwait2)(set, events, most, time, mask);
  if (time != nullptr && !heddle::IsLength(*time)) return heddle::RefuseTime();
  const heddle::MaskScope scope(scheduler, mask);
  return heddle::EpollWait(scheduler, set, events, most,
                           heddle::After(scheduler, time, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int epoll_ctl(int set, int operation, int descriptor, epoll_event* event) noexcept {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::epoll_ctl(set, operation, descriptor, event);
  return heddle::ControlSet(scheduler, set, operation, descriptor, event, HEDDLE_CALLER);
}
