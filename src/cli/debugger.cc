#include "cli/debugger.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/common.h"
#include "cli/exit_code.h"
#include "compile/process.h"
#include "explore/launch.h"
#include "explore/replay_session.h"
#include "explore/temporary.h"
#include "trace/session.h"

namespace heddle {
namespace {

constexpr double kTick = 0.05;
constexpr double kQuitSeconds = 1;

// gdb follows the program into the run that the worker forks, stops where the failure is noticed,
// and goes up to the first frame that the user wrote. SIGILL is the engine's, which says what was a
// failure (runtime/scheduler/unseen_loops.h).
constexpr char kCommands[] = R"(set confirm off
set pagination off
set breakpoint pending on
set disable-randomization on
set follow-fork-mode {follow}
set detach-on-fork on
set print thread-events off
set print inferior-events off
set startup-with-shell on
handle SIGILL nostop noprint pass
set exec-wrapper {wrapper}
run {arguments} < {input}
python
import os
system = ('libheddle_engine', 'libc.so', 'libstdc++', 'libgcc_s', 'libpthread', 'ld-linux')
frame = None
try:
  frame = gdb.newest_frame()
except gdb.error:
  print('heddle: the program ended without failing')
while frame is not None:
  library = os.path.basename(gdb.solib_name(frame.pc()) or '')
  name = frame.name() or ''
  if not library.startswith(system) and not name.startswith(('heddle_', '__tsan_')):
    frame.select()
    open('{stopped}', 'w').close()
    break
  frame = frame.older()
end
frame
echo heddle: this is the failure; info threads, thread N and bt show the rest\n
)";

std::string Replace(std::string text, std::string_view name, const std::string& value) {
  const std::size_t at = text.find(name);
  return text.replace(at, name.size(), value);
}

// What gdb leaves in the directory when it stopped at a failure.
std::string StoppedFile(const std::string& directory) { return directory + "/stopped"; }

// `follow`: which of the processes after a fork gdb holds on to.
Result<std::string> WriteCommands(const Invocation& invocation,
                                  const std::vector<std::string>& environment,
                                  const std::string& follow, const std::string& directory) {
  const std::string input = directory + "/stdin";
  const std::string commands = directory + "/commands";
  std::ofstream(input, std::ios::binary) << invocation.stdin_contents;
  std::vector<std::string> wrapper = {"env", "-i"};
  wrapper.insert(wrapper.end(), environment.begin(), environment.end());
  std::string text = Replace(kCommands, "{wrapper}", ShellLine(wrapper));
  text = Replace(std::move(text), "{follow}", follow);
  text = Replace(std::move(text), "{stopped}", StoppedFile(directory));
  text = Replace(std::move(text), "{arguments}", ShellLine(invocation.arguments));
  text = Replace(std::move(text), "{input}", ShellLine({input}));
  std::ofstream file(commands);
  if (!(file << text << std::flush)) return Error{fmt::format("cannot write {}", commands)};
  return commands;
}

// `channel` is handed down unless it is negative.
pid_t StartGdb(const Invocation& invocation, const std::string& commands, int channel) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  signal(SIGINT, SIG_DFL);
  if (channel >= 0) dup2(channel, kChannelDescriptor);
  if (chdir(invocation.working_directory.c_str()) != 0) {
    fmt::print(stderr, "heddle: cannot enter {}\n", invocation.working_directory);
    _exit(kExitEnvironment);
  }
  execlp("gdb", "gdb", "-q", "-nx", "-x", commands.c_str(), invocation.program.c_str(),
         static_cast<char*>(nullptr));
  fmt::print(stderr, "heddle: cannot start gdb: {}; install the package gdb\n",
             std::strerror(errno));
  _exit(kExitEnvironment);
}

// Returns whether gdb has ended.
bool HasEnded(pid_t pid, int flags, int* status) {
  pid_t reaped;
  do {
    reaped = waitpid(pid, status, flags);
  } while (reaped == -1 && errno == EINTR);
  return reaped != 0;
}

}  // namespace

int ReplayInDebugger(const StoredFinding& stored, const Invocation& invocation,
                     const WorkerOptions& options_in) {
  Result<TemporaryDirectory> temporary = TemporaryDirectory::Make();
  if (!temporary) return Complain(temporary.error().text, kExitEnvironment);
  WorkerOptions options = options_in;
  options.backend = Backend::kBaton;
  options.stop_for_debugger = true;
  options.temporary = temporary->path();
  Result<ChannelEnd> end = ChannelEnd::Make(options, -1);
  if (!end) return Complain(end.error().text, kExitEnvironment);
  if (Status set = end->SetStart(options.scope, invocation.program); !set) {
    return Complain(set.error().text, kExitEnvironment);
  }
  const Result<std::string> commands = WriteCommands(
      invocation,
      LayEnvironment(invocation, {.preload = options.preload, .temporary = options.temporary}),
      "child", temporary->path());
  if (!commands) return Complain(commands.error().text, kExitEnvironment);

  // The worker outlives gdb, which only holds on to the run; it is then ours to end.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  signal(SIGINT, SIG_IGN);  // Ctrl-C is gdb's
  const pid_t gdb = StartGdb(invocation, *commands, end->descriptor());
  if (gdb == -1) return Complain("cannot start a process", kExitEnvironment);

  Channel* const channel = end->channel();
  int status = 0;
  bool ended = false;
  while (!ended && channel->turn.load() != Turn::kController) {
    end->SleepWhile(channel->turn.load(), kTick);
    ended = HasEnded(gdb, WNOHANG, &status);
  }
  if (!ended) {
    const auto modules = CopyModules(*channel);
    const auto plan = modules ? PlanReplay(stored.schedule, *modules) : modules.error();
    const Status set = plan ? end->SetScope(options.scope, *modules) : Status();
    if (!set) Complain(set.error().text, kExitEnvironment);
    if (plan) {
      end->Post(plan->MakeOrder());
    } else {
      Complain(plan.error().text, kExitEnvironment);
      end->PostQuit();
    }
    HasEnded(gdb, 0, &status);
  }
  const double limit = MonotonicSeconds() + kQuitSeconds;
  const pid_t worker = channel->worker_pid.load();
  while (channel->turn.load() == Turn::kWorker && MonotonicSeconds() < limit) {
    end->SleepWhile(Turn::kWorker, kTick);
  }
  // gdb stops at a fatal signal before the runtime sees it, and kills the run when the user leaves.
  const bool failed =
      channel->failure.kind != FailureKind::kNone || channel->records[0].signal != 0;
  end->PostQuit();
  while (worker > 1 && waitpid(worker, nullptr, WNOHANG) == 0) {
    // Our child by now, or waitpid would have refused.
    if (MonotonicSeconds() > limit) kill(worker, SIGKILL);
    end->SleepWhile(Turn::kWorker, kTick);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kExitEnvironment) return kExitEnvironment;
  return failed ? kExitFinding : kExitFine;
}

int ReplayTestInDebugger(const StoredFinding& stored, const Invocation& invocation) {
  Result<TemporaryDirectory> temporary = TemporaryDirectory::Make();
  if (!temporary) return Complain(temporary.error().text, kExitEnvironment);
  const std::string& explore = stored.schedule.explore;
  std::vector<std::string> environment = invocation.environment;
  environment.push_back(fmt::format("{}={}", kReplayVariable, stored.schedule_file()));
  environment.push_back("GTEST_FILTER=" + explore.substr(0, explore.find('#')));
  const Result<std::string> commands =
      WriteCommands(invocation, environment, "parent", temporary->path());
  if (!commands) return Complain(commands.error().text, kExitEnvironment);
  signal(SIGINT, SIG_IGN);  // Ctrl-C is gdb's
  const pid_t gdb = StartGdb(invocation, *commands, -1);
  if (gdb == -1) return Complain("cannot start a process", kExitEnvironment);
  int status = 0;
  HasEnded(gdb, 0, &status);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kExitEnvironment) return kExitEnvironment;
  const bool failed = access(StoppedFile(temporary->path()).c_str(), F_OK) == 0;
  return failed ? kExitFinding : kExitFine;
}

}  // namespace heddle
