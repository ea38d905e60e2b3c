// heddle::Explore in the test process: starts the controller, forks workers for it, hands back what
// it found.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "heddle/explore_abi.h"
#include "runtime/engine.h"
#include "runtime/interpose/real.h"
#include "runtime/library/replay_here.h"
#include "runtime/library/worker.h"
#include "trace/session.h"

namespace heddle {
namespace {

// The command beside this library: bin/heddle for lib/heddle/libheddle_engine.so.
std::string FindCommand() {
  if (const char* const named = std::getenv("HEDDLE_COMMAND"); named != nullptr) return named;
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(&FindCommand), &info) == 0) return "";
  char real_path[PATH_MAX];
  if (::realpath(info.dli_fname, real_path) == nullptr) return "";
  std::string path = real_path;
  for (int i = 0; i < 3; ++i) path.resize(std::min(path.size(), path.rfind('/')));
  return path + "/bin/heddle";
}

// One packet with its descriptors; false at the end of the conversation.
bool Receive(int socket, SessionOrder* order, int* descriptors) {
  for (int i = 0; i < kSessionDescriptors; ++i) descriptors[i] = -1;
  iovec piece{order, sizeof *order};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kSessionDescriptors)] = {};
  msghdr message = {};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size;
  do {
    size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_type != SCM_RIGHTS) continue;
    std::memcpy(descriptors, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
  }
  return size == sizeof *order;
}

void Close(int fd) {
  if (fd >= 0) ::close(fd);
}

// The name of the test or else the place of the call, and which of the calls of that name: the same
// in every process that runs the test.
std::string KeyOf(const char* const* words, std::size_t count) {
  std::string key;
  for (const char* const option : {"--place=", "--name="}) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t length = std::strlen(option);
      if (std::strncmp(words[i], option, length) == 0) key = words[i] + length;
    }
  }
  static std::vector<std::string>* calls = nullptr;
  if (calls == nullptr) calls = new std::vector<std::string>();
  calls->push_back(key);
  const auto nth = std::count(calls->begin(), calls->end(), key);
  return nth == 1 ? key : key + "#" + std::to_string(nth);
}

class Session {
 public:
  Session(const Body& body, std::uint64_t stack) : body_(body), stack_(stack) {}

  // An empty text is success; then Serve() must follow.
  std::string Start(const char* const* words, std::size_t count, const std::string& key);
  // The controller is there already.
  void Join(int socket) { socket_ = socket; }
  // Until the controller has finished or died. The descriptor of its result, or -1.
  int Serve();
  // How the controller ended, for a Serve() of -1.
  std::string Ending();

 private:
  SessionAnswer Fork(const int* descriptors);
  SessionAnswer Wait(const SessionOrder& order);

  const Body body_;
  const std::uint64_t stack_;
  int socket_ = -1;
  pid_t controller_ = -1;
  std::vector<pid_t> workers_;
};

std::string Session::Start(const char* const* words, std::size_t count, const std::string& key) {
  const std::string command = FindCommand();
  if (::access(command.c_str(), X_OK) != 0) {
    return "heddle's command is not at " + command + "; set HEDDLE_COMMAND to its path";
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return std::string("cannot make a socket: ") + std::strerror(errno);
  }
  char number[16];
  std::snprintf(number, sizeof number, "%d", ends[1]);
  std::vector<const char*> arguments = {command.c_str(), "explore-session", "--socket", number};
  arguments.insert(arguments.end(), words, words + count);
  const std::string key_word = "--key=" + key;
  arguments.push_back(key_word.c_str());
  arguments.push_back(nullptr);

  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  controller_ = real::fork();
  if (controller_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::fcntl(ends[1], F_SETFD, 0);
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
    ::execv(command.c_str(), const_cast<char**>(arguments.data()));
    ::_exit(127);
  }
  Close(ends[1]);
  socket_ = ends[0];
  if (controller_ < 0) {
    Close(socket_);
    return std::string("cannot start a process: ") + std::strerror(errno);
  }
  return "";
}

SessionAnswer Session::Fork(const int* descriptors) {
  const pid_t parent = ::getpid();
  // What is in the streams' buffers is this process's to write.
  std::fflush(nullptr);
  const pid_t child = real::fork();
  if (child == 0) {
    Close(socket_);
    BecomeWorker(body_,
                 {.channel = descriptors[0], .input = descriptors[1], .output = descriptors[2]},
                 parent, stack_);
  }
  if (child < 0) return {.pid = -1, .error = errno};
  workers_.push_back(child);
  return {.pid = child};
}

SessionAnswer Session::Wait(const SessionOrder& order) {
  SessionAnswer answer;
  do {
    answer.pid = ::waitpid(order.pid, &answer.status, order.flags);
  } while (answer.pid < 0 && errno == EINTR);
  if (answer.pid < 0) answer.error = errno;
  if (answer.pid == order.pid) std::erase(workers_, order.pid);
  return answer;
}

int Session::Serve() {
  SessionOrder order;
  int descriptors[kSessionDescriptors];
  int result = -1;
  while (Receive(socket_, &order, descriptors)) {
    if (order.kind == SessionOrder::Kind::kFinished) {
      result = std::exchange(descriptors[0], -1);
      break;
    }
    if (order.kind == SessionOrder::Kind::kBecome) ReplayHere(body_, descriptors[0], stack_);
    const SessionAnswer answer =
        order.kind == SessionOrder::Kind::kFork ? Fork(descriptors) : Wait(order);
    for (const int fd : descriptors) Close(fd);
    if (::send(socket_, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer) break;
  }
  Close(socket_);
  for (const pid_t worker : workers_) {
    ::kill(-worker, SIGKILL);
    ::kill(worker, SIGKILL);
    ::waitpid(worker, nullptr, 0);
  }
  return result;
}

std::string Session::Ending() {
  int status = 0;
  pid_t reaped;
  do {
    reaped = ::waitpid(controller_, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  char text[128];
  if (WIFSIGNALED(status)) {
    std::snprintf(text, sizeof text, "heddle's controller was killed by signal %d",
                  WTERMSIG(status));
  } else {
    std::snprintf(text, sizeof text, "heddle's controller ended with status %d",
                  WEXITSTATUS(status));
  }
  return text;
}

// Reads the texts of a result file in their order.
class Texts {
 public:
  Texts(const char* at, const char* end) : at_(at), end_(end) {}
  const char* Next() {
    if (at_ >= end_) return "";
    const char* const text = at_;
    at_ += std::strlen(text) + 1;
    return text;
  }

 private:
  const char* at_;
  const char* const end_;
};

// What heddle_explore hands out beside the file.
struct Memory {
  const char* file = nullptr;
  std::size_t size = 0;
  std::string error;
  std::vector<HeddleFinding> findings;
  std::vector<HeddleOutcome> outcomes;
};

void Read(int fd, Memory* memory, HeddleExplored* explored) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0 ||
      static_cast<std::size_t>(status.st_size) < sizeof(SessionResult)) {
    memory->error = "heddle's controller gave no result";
    return;
  }
  memory->size = static_cast<std::size_t>(status.st_size);
  void* const mapped = ::mmap(nullptr, memory->size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapped == MAP_FAILED) {
    memory->error = "cannot map the result";
    return;
  }
  memory->file = static_cast<const char*>(mapped);
  const auto* const head = reinterpret_cast<const SessionResult*>(memory->file);
  const auto* const findings = reinterpret_cast<const SessionFinding*>(head + 1);
  const auto* const outcomes =
      reinterpret_cast<const SessionOutcome*>(findings + head->finding_count);
  Texts texts(reinterpret_cast<const char*>(outcomes + head->outcome_count),
              memory->file + memory->size);
  explored->error = texts.Next();
  explored->summary = texts.Next();
  explored->report = texts.Next();
  const char* const skipped = texts.Next();
  explored->skipped = head->is_skipped != 0 ? skipped : nullptr;
  for (std::uint32_t i = 0; i < head->finding_count; ++i) {
    HeddleFinding finding = {};
    finding.kind = texts.Next();
    finding.id = texts.Next();
    finding.message = texts.Next();
    finding.fingerprint = texts.Next();
    finding.file = texts.Next();
    finding.schedule = texts.Next();
    finding.line = findings[i].line;
    finding.hits = findings[i].hits;
    finding.first_run = findings[i].first_run;
    finding.is_warning = findings[i].is_warning;
    finding.replayed = findings[i].replayed;
    memory->findings.push_back(finding);
  }
  for (std::uint32_t i = 0; i < head->outcome_count; ++i) {
    memory->outcomes.push_back({texts.Next(), outcomes[i].count});
  }
  explored->runs = head->runs;
  explored->blocked_runs = head->blocked_runs;
  explored->events = head->events;
  explored->classes = head->classes;
  explored->seed = head->seed;
  explored->classes_exact = head->classes_exact;
  explored->complete = head->complete;
  explored->leaks_state = head->leaks_state;
  explored->is_in_doubt = head->is_in_doubt;
}

}  // namespace
}  // namespace heddle

HEDDLE_EXPORT void heddle_explore(const char* const* words, std::size_t word_count,
                                  void (*body)(void*), void* argument, HeddleExplored* result) {
  using heddle::Memory;
  *result = HeddleExplored();
  auto* const memory = new Memory();
  result->memory = memory;
  result->error = result->summary = result->report = "";
  heddle::Session session({body, argument},
                          reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)));
  const std::string key = heddle::KeyOf(words, word_count);
  if (const char* const waiting = std::getenv(heddle::kSessionVariable); waiting != nullptr) {
    const char* const wanted = std::getenv(heddle::kSessionKeyVariable);
    if (wanted == nullptr || key != wanted) {
      result->summary = "Passed over: another test is being replayed.\n";
      return;
    }
    // Whoever waits for it judges what comes of it; the test has nothing more to do.
    session.Join(std::atoi(waiting));
    heddle::Close(session.Serve());
    heddle::real::_exit(0);
  }
  std::vector<const char*> all_words(words, words + word_count);
  std::string replay_word;
  if (const char* const file = std::getenv(heddle::kReplayVariable); file != nullptr) {
    const std::string wanted = heddle::ExploreKeyOf(file);
    if (!wanted.empty() && wanted != key) {
      result->summary = "Passed over: another test is being replayed.\n";
      return;
    }
    replay_word = std::string("--replay=") + file;
    all_words.push_back(replay_word.c_str());
  }
  memory->error = session.Start(all_words.data(), all_words.size(), key);
  if (memory->error.empty()) {
    const int fd = session.Serve();
    if (fd >= 0) heddle::Read(fd, memory, result);
    heddle::Close(fd);
    const std::string ending = session.Ending();
    if (fd < 0) memory->error = ending;
  }
  if (!memory->error.empty()) result->error = memory->error.c_str();
  result->findings = memory->findings.data();
  result->finding_count = static_cast<std::uint32_t>(memory->findings.size());
  result->outcomes = memory->outcomes.data();
  result->outcome_count = static_cast<std::uint32_t>(memory->outcomes.size());
}

HEDDLE_EXPORT void heddle_explore_release(HeddleExplored* result) {
  auto* const memory = static_cast<heddle::Memory*>(result->memory);
  if (memory == nullptr) return;
  if (memory->file != nullptr) ::munmap(const_cast<char*>(memory->file), memory->size);
  delete memory;
  result->memory = nullptr;
}
