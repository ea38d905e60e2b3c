#include "explore/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "explore/children.h"
#include "explore/descriptor.h"
#include "trace/channel.h"

namespace heddle {
namespace {

// What the child says over a pipe that closes itself when exec succeeds.
enum class Stage : int { kAslrRefused, kDirectory, kDescriptors, kExec };
struct Note {
  Stage stage;
  int error;
};

bool IsVariable(std::string_view entry, std::string_view name) {
  return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// The rest of this file up to Launch runs between fork and exec in a process that had threads:
// system calls only.

void Say(int pipe, Stage stage, int error) {
  const Note note{stage, error};
  [[maybe_unused]] const ssize_t n = write(pipe, &note, sizeof note);
}

[[noreturn]] void GiveUp(int pipe, Stage stage) {
  Say(pipe, stage, errno);
  _exit(127);
}

void CloseTheRestOnExec() {
  constexpr unsigned kCloexec = 1u << 2;  // CLOSE_RANGE_CLOEXEC
  if (syscall(SYS_close_range, 3u, ~0u, kCloexec) == 0) return;
  for (int fd = 3; fd < 1024; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

bool Place(int from, int to) {
  if (from == to) return fcntl(to, F_SETFD, 0) == 0;
  return dup2(from, to) == to;
}

struct ChildPlan {
  const char* program;
  const char* directory;
  char* const* arguments;
  char* const* environment;
  const LaunchSettings* settings;
  pid_t parent;
  int pipe;
};

[[noreturn]] void BecomeTheProgram(const ChildPlan& plan) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before the line above.
  if (getppid() != plan.parent) _exit(127);
  setpgid(0, 0);

  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);

  // One byte: refused both as a file and, by the kernel's special case, as a pipe to a handler.
  // A search of crashing runs would otherwise spend its time dumping cores.
  const rlimit no_core{1, 1};
  setrlimit(RLIMIT_CORE, &no_core);

  const int old = personality(0xffffffff);
  if (old == -1 || personality(static_cast<unsigned long>(old) | ADDR_NO_RANDOMIZE) == -1) {
    Say(plan.pipe, Stage::kAslrRefused, errno);
  }
  if (chdir(plan.directory) != 0) GiveUp(plan.pipe, Stage::kDirectory);

  CloseTheRestOnExec();
  const LaunchSettings& settings = *plan.settings;
  if (!Place(settings.input, 0) || !Place(settings.output, 1) || !Place(settings.output, 2) ||
      !Place(settings.channel, kChannelDescriptor)) {
    GiveUp(plan.pipe, Stage::kDescriptors);
  }
  execve(plan.program, plan.arguments, plan.environment);
  GiveUp(plan.pipe, Stage::kExec);
}

std::string Explain(const Invocation& invocation, const Note& note) {
  const char* const reason = std::strerror(note.error);
  switch (note.stage) {
    case Stage::kDirectory:
      return fmt::format("cannot enter {}: {}; the program runs in that directory",
                         invocation.working_directory, reason);
    case Stage::kDescriptors:
      return fmt::format("cannot hand over descriptors: {}; raise the limit with ulimit -n 1024",
                         reason);
    case Stage::kExec:
    case Stage::kAslrRefused:
      break;
  }
  return fmt::format("cannot execute {}: {}", invocation.program, reason);
}

}  // namespace

std::vector<std::string> LayEnvironment(const Invocation& invocation,
                                        const LaunchSettings& settings) {
  std::vector<std::string> result;
  std::string preload = settings.preload;
  for (const std::string& entry : invocation.environment) {
    if (IsVariable(entry, "TMPDIR") || IsVariable(entry, kChannelVariable) ||
        IsVariable(entry, "LD_BIND_NOW") || IsVariable(entry, "OMP_THREAD_LIMIT")) {
      continue;
    }
    if (IsVariable(entry, "LD_PRELOAD") && !preload.empty()) {
      preload += ":" + entry.substr(std::strlen("LD_PRELOAD="));
      continue;
    }
    result.push_back(entry);
  }
  result.push_back("TMPDIR=" + settings.temporary);
  // OpenMP's threads wait with instructions of their own, unseen: see interpose/unmodelled.cc.
  result.push_back("OMP_THREAD_LIMIT=1");
  if (!preload.empty()) result.push_back("LD_PRELOAD=" + preload);
  // Bound once in the worker, not in every run. The engine takes it and what follows out again.
  result.push_back("LD_BIND_NOW=1");
  result.push_back(fmt::format("{}={}", kChannelVariable, kChannelDescriptor));
  return result;
}

Result<Launched> Launch(const Invocation& invocation, const LaunchSettings& settings) {
  const std::vector<std::string> environment = LayEnvironment(invocation, settings);
  std::vector<std::string> words = {invocation.program};
  words.insert(words.end(), invocation.arguments.begin(), invocation.arguments.end());
  const std::vector<char*> arguments = Pointers(words);
  const std::vector<char*> variables = Pointers(environment);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return Error{fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  }
  Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  const ChildPlan plan{.program = invocation.program.c_str(),
                       .directory = invocation.working_directory.c_str(),
                       .arguments = arguments.data(),
                       .environment = variables.data(),
                       .settings = &settings,
                       .parent = getpid(),
                       .pipe = write_end.get()};

  const pid_t pid = ForkOwnChild();
  if (pid == -1) {
    return Error{fmt::format("cannot start a process: {}; close some, or raise ulimit -u",
                             std::strerror(errno))};
  }
  if (pid == 0) BecomeTheProgram(plan);

  write_end.Close();
  Launched launched{.pid = pid};
  Note note;
  while (read(read_end.get(), &note, sizeof note) == sizeof note) {
    if (note.stage == Stage::kAslrRefused) {
      launched.aslr_is_on = true;
      continue;
    }
    waitpid(pid, nullptr, 0);
    ForgetOwnChild(pid);
    return Error{Explain(invocation, note)};
  }
  return launched;
}

}  // namespace heddle
