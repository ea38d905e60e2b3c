#include "runtime/interpose/children.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/outside.h"
#include "runtime/real_time.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

constexpr std::uint64_t kChild = 0x6368;
constexpr std::uint64_t kAnyChild = 0x616e;
constexpr std::uint64_t kCalls = 0x6361;
constexpr std::uint64_t kPatience = 200'000'000;  // nanoseconds

struct Child {
  pid_t number;
  std::uint64_t parent;  // path of the thread
  std::uint64_t name;
};
std::vector<Child>* children = nullptr;

std::uint64_t NameOf(pid_t number) {
  if (children == nullptr) return 0;
  // Numbers are used again: the newest is meant.
  const auto found = std::find_if(children->rbegin(), children->rend(),
                                  [=](const Child& child) { return child.number == number; });
  return found == children->rend() ? 0 : found->name;
}

pid_t NumberOf(std::uint64_t name) {
  if (children == nullptr) return 0;
  const auto found = std::find_if(children->begin(), children->end(),
                                  [=](const Child& child) { return child.name == name; });
  return found == children->end() ? 0 : found->number;
}

struct Waiting {
  idtype_t type;
  id_t id;
  int options;
  bool is_patient = true;  // when it is first asked
};

// What there is to be told, which stays there to be told unless it is taken. -errno, or 0.
long Look(const Waiting& waiting, siginfo_t* info, int how, rusage* usage) {
  *info = siginfo_t();
  return RawSyscall(SYS_waitid, waiting.type, static_cast<long>(waiting.id),
                    reinterpret_cast<long>(info), waiting.options | how,
                    reinterpret_cast<long>(usage));
}

// The same, for some time if there is nothing yet.
long LookPatiently(const Waiting& waiting, siginfo_t* info, int how, rusage* usage) {
  constexpr long kLongest = 1'000'000;
  const std::uint64_t deadline = RealNanoseconds() + kPatience;
  timespec moment = {0, 20'000};
  for (;;) {
    const long result = Look(waiting, info, how | WNOHANG, usage);
    if (result < 0 || info->si_pid != 0 || RealNanoseconds() > deadline) return result;
    RawSyscall(SYS_nanosleep, reinterpret_cast<long>(&moment), 0);
    moment.tv_nsec = std::min(2 * moment.tv_nsec, kLongest);
  }
}

// A child usually ends by itself, and soon: so long the run stands still, and it does not matter
// how fast the machine is. One that does not may wait for another thread of the program.
bool HasNews(void* argument) {
  auto* const waiting = static_cast<Waiting*>(argument);
  const bool is_patient = std::exchange(waiting->is_patient, false) && !outside::IsOnTheRoad();
  siginfo_t info;
  const long result = is_patient ? LookPatiently(*waiting, &info, WNOWAIT, nullptr)
                                 : Look(*waiting, &info, WNOWAIT | WNOHANG, nullptr);
  return result < 0 || info.si_pid != 0;
}

// What the log keeps of a siginfo_t.
struct News {
  std::uint64_t name = 0;   // of the child; 0: it has none
  std::int32_t number = 0;  // if it has none
  std::int32_t status = 0;
  std::int32_t code = 0;
  std::uint32_t user = 0;
};

News NewsOf(const siginfo_t& info) {
  News news;
  if (info.si_pid == 0) return news;
  news.name = NameOf(info.si_pid);
  news.number = news.name == 0 ? info.si_pid : 0;
  news.status = info.si_status;
  news.code = info.si_code;
  news.user = info.si_uid;
  return news;
}

siginfo_t InfoOf(const News& news) {
  siginfo_t info = {};
  const pid_t number = news.name == 0 ? news.number : NumberOf(news.name);
  if (number == 0) return info;
  info.si_signo = SIGCHLD;
  info.si_pid = number;
  info.si_status = news.status;
  info.si_code = news.code;
  info.si_uid = news.user;
  return info;
}

// As waitid does it: 0, or -1 and errno.
int Wait(Waiting waiting, siginfo_t* info, rusage* usage, std::uint64_t site) {
  Scheduler* const scheduler = IoScheduler();
  if (scheduler == nullptr) return static_cast<int>(Returned(Look(waiting, info, 0, usage)));
  const bool waits = (waiting.options & WNOHANG) == 0;
  const Outcome outcome = AwaitIo(scheduler, {.kind = OpKind::kPoll,
                                              .is_ready = waits ? HasNews : nullptr,
                                              .argument = &waiting,
                                              .is_outside = true,
                                              .site = site});
  if (outcome == kInterrupted) return -1;
  const std::uint64_t name = waiting.type == P_PID ? NameOf(static_cast<pid_t>(waiting.id)) : 0;
  News news;
  socklen_t size = sizeof news;
  const outside::Call call = {
      .kind = InputKind::kChild,
      .into = outside::IntoAddress(&news, &size),
      .peer = name != 0 ? name : Mix(scheduler->current()->path_hash, kAnyChild)};
  long result = 0;
  if (outside::Answered(call, &result)) {
    *info = InfoOf(news);
    // It is waited for all the same: what it leaves behind is there when it has ended.
    siginfo_t taken;
    if (result == 0 && info->si_pid != 0) {
      const Waiting one = {P_PID, static_cast<id_t>(info->si_pid), waiting.options};
      LookPatiently(one, &taken, 0, usage);
    }
  } else {
    result = Returned(Look(waiting, info, 0, usage));
    news = NewsOf(*info);
  }
  const int error = errno;
  outside::Note(call, result);
  errno = error;
  FinishIo(scheduler, result);
  return static_cast<int>(result);
}

int StatusOf(const siginfo_t& info) {
  constexpr int kStopped = 0x7f, kContinued = 0xffff, kDumped = 0x80;
  switch (info.si_code) {
    case CLD_EXITED:
      return (info.si_status & 0xff) << 8;
    case CLD_KILLED:
      return info.si_status;
    case CLD_DUMPED:
      return info.si_status | kDumped;
    case CLD_CONTINUED:
      return kContinued;
    default:
      return info.si_status << 8 | kStopped;
  }
}

// As wait4 does it.
pid_t WaitForProcess(pid_t which, int* status, int options, rusage* usage, std::uint64_t site) {
  Waiting waiting = {P_ALL, 0, options | WEXITED};
  if (which > 0) waiting = {P_PID, static_cast<id_t>(which), options | WEXITED};
  if (which == 0) waiting = {P_PGID, static_cast<id_t>(RawSyscall(SYS_getpgrp)), options | WEXITED};
  if (which < -1) waiting = {P_PGID, static_cast<id_t>(-which), options | WEXITED};
  siginfo_t info;
  if (Wait(waiting, &info, usage, site) != 0) return -1;
  if (info.si_pid != 0 && status != nullptr) *status = StatusOf(info);
  return info.si_pid;
}

}  // namespace

void ChildStarted(pid_t child) {
  const Scheduler* const scheduler = IoScheduler();
  if (scheduler == nullptr || child <= 0) return;
  const EngineScope scope;
  if (children == nullptr) children = new std::vector<Child>();
  const std::uint64_t parent = scheduler->current()->path_hash;
  const auto nth = std::count_if(children->begin(), children->end(),
                                 [=](const Child& one) { return one.parent == parent; });
  children->push_back({child, parent, Mix(Mix(parent, static_cast<std::uint64_t>(nth)), kChild)});
}

void ForgetChildren() {
  if (children != nullptr) children->clear();
}

int StatusToTell(WaitedBy which, int status) {
  const Scheduler* const scheduler = IoScheduler();
  if (scheduler == nullptr) return status;
  const outside::Call call = {.kind = InputKind::kChild,
                              .peer = Mix(scheduler->current()->path_hash, kCalls),
                              .question = static_cast<std::uint64_t>(which) + 1};
  long result = status;
  if (!outside::Answered(call, &result)) result = status;
  outside::Note(call, result);
  return static_cast<int>(result);
}

}  // namespace heddle

HEDDLE_EXPORT pid_t wait(int* status) {
  return heddle::WaitForProcess(-1, status, 0, nullptr, HEDDLE_CALLER);
}

HEDDLE_EXPORT pid_t waitpid(pid_t which, int* status, int options) {
  return heddle::WaitForProcess(which, status, options, nullptr, HEDDLE_CALLER);
}

HEDDLE_EXPORT pid_t wait3(int* status, int options, rusage* usage) noexcept {
  return heddle::WaitForProcess(-1, status, options, usage, HEDDLE_CALLER);
}

HEDDLE_EXPORT pid_t wait4(pid_t which, int* status, int options, rusage* usage) noexcept {
  return heddle::WaitForProcess(which, status, options, usage, HEDDLE_CALLER);
}

HEDDLE_EXPORT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  siginfo_t unwanted;
  return heddle::Wait({type, id, options}, info == nullptr ? &unwanted : info, nullptr,
                      HEDDLE_CALLER);
}
