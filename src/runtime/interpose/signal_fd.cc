#include "runtime/interpose/signal_fd.h"

#include <sys/signalfd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_transfer.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/numbers.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/signal_delivery.h"

namespace heddle {
namespace {

constexpr long kMaskSize = 8;  // the kernel's

// What the numbers lead to: several, after dup.
struct Content {
  sigset_t mask;
  std::optional<bool> is_shown;  // not known: the kernel is told again
};
struct Number {
  int descriptor;
  std::size_t content;
};
std::vector<Number>* numbers = nullptr;
std::vector<Content>* contents = nullptr;
bool marker_in_use = false;

Content* Find(int descriptor) {
  if (numbers == nullptr) return nullptr;
  for (const Number& number : *numbers) {
    if (number.descriptor == descriptor) return &(*contents)[number.content];
  }
  return nullptr;
}

bool HasFor(const Thread& thread, const Content& content) {
  return thread.signals.HasOneOf(content.mask) ||
         Scheduler::Get()->process_signals().HasOneOf(content.mask);
}

void TellKernel(int descriptor, Content* content, bool is_shown) {
  sigset_t mask = content->mask;
  sigdelset(&mask, kMarkerSignal);
  if (is_shown) sigaddset(&mask, kMarkerSignal);
  RawSyscall(SYS_signalfd4, descriptor, reinterpret_cast<long>(&mask), kMaskSize, 0);
  content->is_shown = is_shown;
}

// In the kernel's thread that is about to ask: what is pending there counts.
void RaiseMarker() {
  marker_in_use = true;
  sigset_t marker;
  sigemptyset(&marker);
  sigaddset(&marker, kMarkerSignal);
  RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, reinterpret_cast<long>(&marker), 0, kMaskSize);
  RawSyscall(SYS_tgkill, RawSyscall(SYS_getpid), RawSyscall(SYS_gettid), kMarkerSignal);
}

signalfd_siginfo Told(const siginfo_t& info) {
  signalfd_siginfo told = {};
  told.ssi_signo = static_cast<std::uint32_t>(info.si_signo);
  told.ssi_errno = info.si_errno;
  told.ssi_code = info.si_code;
  if (info.si_code == SI_KERNEL) return told;
  if (info.si_code == SI_TIMER) {
    told.ssi_tid = static_cast<std::uint32_t>(info.si_timerid);
    told.ssi_overrun = static_cast<std::uint32_t>(info.si_overrun);
  } else {
    told.ssi_pid = static_cast<std::uint32_t>(info.si_pid);
    told.ssi_uid = info.si_uid;
  }
  if (info.si_code == SI_TIMER || info.si_code == SI_QUEUE) {
    told.ssi_ptr = reinterpret_cast<std::uint64_t>(info.si_value.sival_ptr);
    told.ssi_int = info.si_value.sival_int;
  }
  return told;
}

// As many as fit, in the order in which Linux takes them; else what comes from outside.
long Take(Scheduler* scheduler, int descriptor, const iovec& into) {
  Content* const content = Find(descriptor);
  const auto is_wanted = [content](int signal) {
    return content != nullptr && sigismember(&content->mask, signal) == 1;
  };
  std::size_t got = 0;
  while (got + sizeof(signalfd_siginfo) <= into.iov_len) {
    std::optional<siginfo_t> info = scheduler->current()->signals.Take(is_wanted);
    if (!info) info = scheduler->process_signals().Take(is_wanted);
    if (!info) break;
    const signalfd_siginfo told = Told(*info);
    std::memcpy(static_cast<char*>(into.iov_base) + got, &told, sizeof told);
    got += sizeof told;
  }
  if (got > 0) {
    ReconsiderSignals(scheduler);
    return static_cast<long>(got);
  }
  if (content != nullptr) TellKernel(descriptor, content, false);
  const NonBlocking scope(descriptor);
  return real::read(descriptor, into.iov_base, into.iov_len);
}

void Enter(int descriptor, const sigset_t& mask) {
  const EngineScope scope;
  if (numbers == nullptr) {
    numbers = new std::vector<Number>();
    contents = new std::vector<Content>();
  }
  Content* const known = Find(descriptor);
  if (known != nullptr) {
    *known = {mask, std::nullopt};
    return;
  }
  numbers->push_back({descriptor, contents->size()});
  contents->push_back({mask, std::nullopt});
}

}  // namespace

bool IsSignalFd(int descriptor) { return Find(descriptor) != nullptr; }

void NoteSignalFdCopy(int from, int to) {
  if (Find(from) == nullptr) return;
  for (const Number& number : *numbers) {
    if (number.descriptor != from) continue;
    numbers->push_back({to, number.content});
    return;
  }
}

void ForgetSignalFd(int descriptor) {
  if (numbers == nullptr) return;
  std::erase_if(*numbers, [&](const Number& number) { return number.descriptor == descriptor; });
}

void ForgetSignalFds() {
  if (numbers != nullptr) numbers->clear();
  if (contents != nullptr) contents->clear();
  ActOnSignalsAlone();
}

void ShowSignals(const Thread& thread) {
  if (numbers == nullptr || numbers->empty()) return;
  bool any = false;
  for (const Number& number : *numbers) {
    Content& content = (*contents)[number.content];
    const bool has = HasFor(thread, content);
    any = any || has;
    if (content.is_shown != has) TellKernel(number.descriptor, &content, has);
  }
  if (any) RaiseMarker();
}

void NoteSignalSent(int signal) {
  if (contents == nullptr) return;
  for (Content& content : *contents) {
    if (sigismember(&content.mask, signal) == 1) content.is_shown.reset();
  }
}

bool HasSignals(int descriptor) {
  const Content* const content = Find(descriptor);
  return content != nullptr && HasFor(*Scheduler::Get()->current(), *content);
}

bool IsMarkerInUse() { return marker_in_use; }

long ReadSignals(Scheduler* scheduler, int descriptor, const iovec& into, std::uint64_t site) {
  if (into.iov_len < sizeof(signalfd_siginfo)) {
    errno = EINVAL;
    return -1;
  }
  const bool waits = transfer::Waits(descriptor);
  for (;;) {
    const long result = transfer::Receive(scheduler, descriptor, waits, {&into, 1}, site,
                                          [&] { return Take(scheduler, descriptor, into); });
    // What came from outside a handler may have got.
    if (result >= 0 || errno != EAGAIN || !waits) return result;
  }
}

}  // namespace heddle

using heddle::Scheduler;

HEDDLE_EXPORT int signalfd(int descriptor, const sigset_t* mask, int flags) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(signalfd)(descriptor, mask, flags);
  heddle::ReachSignalChange(scheduler, HEDDLE_CALLER);
  const int result = HEDDLE_NEXT(signalfd)(descriptor, mask, flags);
  if (result < 0) return result;
  heddle::Enter(result, *mask);
  heddle::ActOnSignalsAsBytes(scheduler);
  if (descriptor < 0) {
    heddle::SetInside(result, true);
    heddle::Numbers::NoteOpened(result);
  }
  heddle::ReconsiderSignals(scheduler);
  return result;
}
