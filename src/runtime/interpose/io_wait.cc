#include "runtime/interpose/io_wait.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>

#include <cerrno>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/looks.h"
#include "runtime/interpose/made_here.h"
#include "runtime/interpose/message_queue.h"
#include "runtime/interpose/named_pipe.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/ports.h"
#include "runtime/interpose/signal_fd.h"
#include "runtime/interpose/watches.h"
#include "trace/channel_use.h"

namespace heddle {
namespace {

std::vector<bool>* inside = nullptr;  // by descriptor
std::uint64_t finished = 0;           // only ever compared with itself, within a run

Deadline Sooner(const Deadline& a, const Deadline& b) {
  if (!a.is_set) return b;
  return b.is_set && b.at < a.at ? b : a;
}

// A wait, and whose. Where somebody outside may end it, what it is told is written down; that may
// begin while it lasts, when a new process gets a descriptor.
struct Asking {
  IoWait wait;
  Thread* thread;
  bool has_changed = false;  // what it touches
  Asking* next = nullptr;    // of those that are announced
};
Asking* announced = nullptr;

bool IsReady(void* argument) {
  const auto& [wait, thread, has_changed, next] = *static_cast<Asking*>(argument);
  if (wait.is_ready == nullptr) return true;  // since it was announced
  ShowSignals(*thread);
  if (!thread->hears_outside) return wait.is_ready(wait.argument);
  return outside::IsReady(thread->path_hash, wait.is_ready, wait.argument);
}

// Among the announced as long as it lives.
class Announced {
 public:
  explicit Announced(Asking* asking) : asking_(asking) {
    asking->next = announced;
    announced = asking;
  }
  ~Announced() {
    Asking** at = &announced;
    while (*at != nullptr && *at != asking_) at = &(*at)->next;
    if (*at != nullptr) *at = asking_->next;
  }
  Announced(const Announced&) = delete;
  Announced& operator=(const Announced&) = delete;

 private:
  Asking* asking_;
};

std::uint8_t OrderOf(const IoWait& wait) {
  const unsigned waits = wait.is_ready != nullptr ? channel_use::kWaits : 0;
  return static_cast<std::uint8_t>(waits | wait.asked << channel_use::kAsksShift);
}

void TellAgain(Scheduler* scheduler, const IoWait& wait, const Thread* thread) {
  scheduler->ActsOn(thread, wait.kind, OrderOf(wait),
                    wait.channel != nullptr ? wait.channel : IoObject(),
                    wait.channel != nullptr ? IoObject() : nullptr);
}

// What was announced to touch `before` does so still, whatever else it touches now: it may be made
// where it was announced, and a search must see in any run what it would meet there.
void KeepTouching(const IoWait& before, IoWait* wait) {
  if (before.channel == nullptr || wait->channel == nullptr) {
    wait->channel = nullptr;
    wait->kind = IsLook(wait->kind) ? OpKind::kPoll : wait->kind;
    return;
  }
  ForEachChannel(before.channel, [wait](Object* channel) {
    if (HasChannel(wait->channel, channel)) return;
    if (IsLook(wait->kind) && wait->channel->kind == ObjectKind::kChannel) {
      wait->channel = ChannelList(wait->channel, wait->asked, nullptr);
    }
    const std::uint8_t role = IsLook(wait->kind) ? channel_use::kLooksAt : std::uint8_t{0};
    wait->channel = ChannelsAnd(wait->channel, channel, role);
  });
}

// On several channels it is on each of them.
Event* Record(Scheduler* scheduler) {
  Object* const left = Watches::AsLeft(scheduler->reached());
  if (left != scheduler->reached()) scheduler->ReachedInstead(left);
  Event* const event = scheduler->Record();
  if (event->object == kNoObject) return event;
  if (Objects::ById(event->object)->kind == ObjectKind::kChannels) {
    event->size = channel_use::kItemsKnown;
  }
  ForEachInList(Objects::ById(event->object), [&](Object* channel, std::uint8_t role) {
    const AccessMode access =
        (role & channel_use::kLooksAt) != 0 ? AccessMode::kReading : AccessOf(event->kind);
    scheduler->recorder().AlsoTouches(*scheduler->current(), event->kind, access, channel);
  });
  return event;
}

}  // namespace

Object* IoObject() {
  constexpr std::uint64_t kIoKey = 4;
  return Objects::Named(ObjectKind::kIo, kIoKey);
}

bool IsChannel(int descriptor) {
  struct stat status = {};
  if (RawSyscall(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) != 0) return false;
  if (S_ISREG(status.st_mode)) return IsMessageQueue(descriptor);
  // eventfd, timerfd and epoll have no file type.
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || (status.st_mode & S_IFMT) == 0;
}

bool IsNonBlocking(int descriptor) {
  const long flags = RawSyscall(SYS_fcntl, descriptor, F_GETFL, 0);
  return flags < 0 || (flags & O_NONBLOCK) != 0;
}

bool KeepsNotes() { return engine.scheduler != nullptr || __libc_single_threaded != 0; }

void SetInside(int descriptor, bool is_inside) {
  if (descriptor < 0) return;
  if (inside == nullptr) inside = new std::vector<bool>();
  const auto index = static_cast<std::size_t>(descriptor);
  if (inside->size() <= index) inside->resize(index + 1, false);
  (*inside)[index] = is_inside;
}

bool IsInside(int descriptor) {
  const auto index = static_cast<std::size_t>(descriptor);
  return descriptor >= 0 && inside != nullptr && index < inside->size() && (*inside)[index];
}

void HearOutside() {
  const Scheduler* const scheduler = Scheduler::Get();
  for (std::size_t i = 0; scheduler != nullptr && i < scheduler->thread_count(); ++i) {
    scheduler->ThreadById(static_cast<ThreadId>(i))->hears_outside = true;
  }
}

void ForgetInside() {
  HearOutside();
  ForgetPipes();
  ForgetNamedPipes();
  ForgetMadeHere();
  if (inside != nullptr) inside->clear();
}

Scheduler* IoScheduler() {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  return scheduler != nullptr && scheduler->recorder().recording() ? scheduler : nullptr;
}

Outcome AwaitIo(Scheduler* scheduler, const IoWait& given) {
  Thread* const self = scheduler->current();
  Object* const io = IoObject();
  Asking asking = {given, self};
  const IoWait& wait = asking.wait;
  if (wait.cancels) TestCancel(scheduler);
  const Announced scope(&asking);
  self->hears_outside = wait.is_outside;
  for (;;) {
    FireTimers(scheduler->Now());
    const Deadline deadline =
        wait.is_ready == nullptr ? Deadline() : Sooner(wait.deadline, EarliestTimer());
    self->io_ready = wait.is_ready == nullptr ? nullptr : IsReady;
    self->io_argument = &asking;
    const Outcome outcome = scheduler->Reach({.kind = wait.kind,
                                              .object = wait.channel != nullptr ? wait.channel : io,
                                              .second = wait.channel != nullptr ? io : nullptr,
                                              .site = wait.site,
                                              .order = OrderOf(wait),
                                              .timed = deadline.is_set,
                                              .deadline = deadline.at,
                                              .changes_with = io,
                                              .interruptible = true});
    self->io_ready = nullptr;
    if (asking.has_changed) TellAgain(scheduler, wait, self);
    asking.has_changed = false;
    ShowSignals(*self);
    const bool ends = wait.cancels && CancelIsDue(*self);  // before its turn came
    if (outcome == Outcome::kNormal && !ends) return outcome;
    if (outcome == Outcome::kTimeout && !ends) {
      FireTimers(scheduler->Now());
      if (IsReady(&asking)) return Outcome::kNormal;
      if (wait.deadline.is_set && scheduler->Now() >= wait.deadline.at) return outcome;
      Record(scheduler)->flags |= Event::kTimedOut;
      continue;
    }
    const Delivered delivered = AttendToInterruption(scheduler);
    const bool restarts = wait.restarts && !wait.deadline.is_set;
    if (delivered.fails_calls || (delivered.any && !restarts)) {
      errno = EINTR;
      return outcome;
    }
  }
}

short ReadyAt(int descriptor, short events) {
  pollfd one = {descriptor, events, 0};
  return RawSyscall(SYS_poll, reinterpret_cast<long>(&one), 1, 0) > 0 ? one.revents : short{0};
}

void DescribeAgain(Scheduler* scheduler) {
  const int error = errno;
  for (Asking* asking = announced; asking != nullptr; asking = asking->next) {
    IoWait& wait = asking->wait;
    if (wait.describe == nullptr || asking->thread == scheduler->current()) continue;
    const IoWait before = wait;
    wait.describe(wait.argument, &wait);
    KeepTouching(before, &wait);
    const bool is_same = wait.kind == before.kind && wait.channel == before.channel;
    const bool waits_as_before = (wait.is_ready == nullptr) == (before.is_ready == nullptr);
    if (is_same && wait.asked == before.asked && waits_as_before) continue;
    asking->has_changed = true;
    TellAgain(scheduler, wait, asking->thread);
  }
  errno = error;
}

void ForgetAnnounced() { announced = nullptr; }

void ForgetAnnouncedBelow(std::uint64_t stack) {
  const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  const Thread* const self = Scheduler::Get()->current();
  for (Asking** at = &announced; *at != nullptr;) {
    const auto place = reinterpret_cast<std::uint64_t>(*at);
    if ((*at)->thread == self && place > here && place < stack) {
      *at = (*at)->next;
    } else {
      at = &(*at)->next;
    }
  }
}

Event* FinishIo(Scheduler* scheduler, long result) {
  const int error = errno;
  Event* const event = Record(scheduler);
  event->value = static_cast<std::uint64_t>(result);
  event->flags |= Event::kHasValue;
  ++finished;
  scheduler->Reconsider(IoObject());
  errno = error;
  return event;
}

Event* FinishIoInVain(Scheduler* scheduler) {
  const int error = errno;
  Event* const event = Record(scheduler);
  event->value = static_cast<std::uint64_t>(-1);
  event->flags |= Event::kHasValue;
  errno = error;
  return event;
}

std::uint64_t FinishedIo() { return finished; }

}  // namespace heddle
