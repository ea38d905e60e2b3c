#include "explore/test_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "explore/children.h"

namespace heddle {

Result<std::unique_ptr<TestProcess>> TestProcess::Launch(const Invocation& invocation) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return Error{fmt::format("cannot make a socket: {}", std::strerror(errno))};
  }
  auto test = std::make_unique<TestProcess>(ends[0]);
  const Descriptor theirs(ends[1]);
  std::vector<std::string> words = {invocation.program};
  words.insert(words.end(), invocation.arguments.begin(), invocation.arguments.end());
  std::vector<std::string> variables = invocation.environment;
  variables.push_back(fmt::format("{}={}", kSessionVariable, theirs.get()));
  variables.push_back(fmt::format("{}={}", kSessionKeyVariable, invocation.explore));
  // A GoogleTest program then runs this test only.
  variables.push_back("GTEST_FILTER=" + invocation.explore.substr(0, invocation.explore.find('#')));
  std::vector<char*> arguments, environment;
  for (std::string& word : words) arguments.push_back(word.data());
  for (std::string& variable : variables) environment.push_back(variable.data());
  arguments.push_back(nullptr);
  environment.push_back(nullptr);

  test->launched_ = ForkOwnChild();
  if (test->launched_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fcntl(theirs.get(), F_SETFD, 0);
    const int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) dup2(nothing, fd);
    if (chdir(invocation.working_directory.c_str()) == 0) {
      execve(arguments[0], arguments.data(), environment.data());
    }
    _exit(127);
  }
  if (test->launched_ < 0) {
    return Error{fmt::format("cannot start a process: {}", std::strerror(errno))};
  }
  return test;
}

TestProcess::~TestProcess() {
  if (launched_ <= 0) return;
  socket_.Close();  // it ends its workers, and then itself
  kill(launched_, SIGTERM);
  waitpid(launched_, nullptr, 0);
  ForgetOwnChild(launched_);
}

Status TestProcess::Send(const SessionOrder& order, std::initializer_list<int> descriptors) {
  SessionOrder copy = order;
  iovec piece{&copy, sizeof copy};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kSessionDescriptors)] = {};
  msghdr message = {};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (descriptors.size() != 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors.size());
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
    std::memcpy(CMSG_DATA(header), descriptors.begin(), sizeof(int) * descriptors.size());
  }
  ssize_t sent;
  do {
    sent = sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent == sizeof copy) return {};
  return Error{"the test process is gone, or never came to its heddle::Explore"};
}

Result<SessionAnswer> TestProcess::Ask(const SessionOrder& order,
                                       std::initializer_list<int> descriptors) {
  const std::lock_guard lock(mutex_);
  if (Status sent = Send(order, descriptors); !sent) return sent.error();
  SessionAnswer answer;
  ssize_t size;
  do {
    size = recv(socket_.get(), &answer, sizeof answer, 0);
  } while (size < 0 && errno == EINTR);
  if (size != sizeof answer)
    return Error{"the test process is gone, or never came to its heddle::Explore"};
  return answer;
}

Result<Launched> TestProcess::Start(const Invocation&, const LaunchSettings& settings) {
  const Result<SessionAnswer> answer =
      Ask({.kind = SessionOrder::Kind::kFork}, {settings.channel, settings.input, settings.output});
  if (!answer) return answer.error();
  if (answer->pid <= 0) {
    return Error{fmt::format("the test process cannot fork: {}", std::strerror(answer->error))};
  }
  return Launched{.pid = answer->pid};
}

pid_t TestProcess::Wait(pid_t pid, int* status, int flags) {
  const Result<SessionAnswer> answer =
      Ask({.kind = SessionOrder::Kind::kWait, .pid = pid, .flags = flags}, {});
  if (!answer) return -1;
  *status = answer->status;
  return answer->pid;
}

Status TestProcess::Become(int channel) {
  const std::lock_guard lock(mutex_);
  return Send({.kind = SessionOrder::Kind::kBecome}, {channel});
}

bool TestProcess::IsGone() {
  pollfd look{.fd = socket_.get(), .events = 0, .revents = 0};
  return poll(&look, 1, 0) > 0 && (look.revents & (POLLHUP | POLLERR)) != 0;
}

Status TestProcess::Finish(const std::string& result) {
  Result<Descriptor> file = MemoryFileWith("heddle-result", result);
  if (!file) return file.error();
  const std::lock_guard lock(mutex_);
  return Send({.kind = SessionOrder::Kind::kFinished}, {file->get()});
}

}  // namespace heddle
