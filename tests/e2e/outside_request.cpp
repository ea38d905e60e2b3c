// Somebody outside says what to do; it goes wrong only for one request and in one order of the
// threads.
//
//   outside_request tcp|poll|epoll|serve|stream|flood|ask PORT   or   unix|fifo|pass|give PATH   or
//   outside_request spawn|spawn-early   or   status-HOW SCRIPT
//
// stream: through stdio; flood: a request that is longer than a recording may be; fifo: PATH.in and
// PATH.out are named pipes; ask: what the program does depends on ports, options and on how much
// there is to read; pass: the server passes descriptors, and the request is behind them; give: the
// server is given a pipe to write to; spawn: a program that is started says it, through a pipe that
// is read afterwards, or by a thread that may wait for it already; status-HOW: how a script ends
// says it, and HOW it is waited for.
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::string request;
std::condition_variable changed;
bool is_ready = false;
std::atomic<int> handled = 0;

// Not as it should be done.
void Handle() { handled = handled + 1; }

int Connect(const char* how, const char* where) {
  if (std::strcmp(how, "unix") == 0 || std::strcmp(how, "pass") == 0 ||
      std::strcmp(how, "give") == 0) {
    const int to = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, where, sizeof address.sun_path - 1);
    if (connect(to, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::_Exit(9);
    return to;
  }
  const int to = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(where)));
  if (std::strcmp(how, "serve") == 0) {
    const int yes = 1;
    setsockopt(to, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(to, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::_Exit(8);
    if (listen(to, 4) != 0) std::_Exit(8);
    sockaddr_in client = {};
    socklen_t length = sizeof client;
    const int from = accept(to, reinterpret_cast<sockaddr*>(&client), &length);
    if (from < 0 || client.sin_family != AF_INET) std::_Exit(8);
    close(to);
    return from;
  }
  if (connect(to, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::_Exit(9);
  return to;
}

void AwaitBytes(const char* how, int from) {
  if (std::strcmp(how, "poll") == 0) {
    pollfd one = {from, POLLIN, 0};
    assert(poll(&one, 1, -1) == 1);
  } else if (std::strcmp(how, "epoll") == 0) {
    const int set = epoll_create1(0);
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = from;
    assert(epoll_ctl(set, EPOLL_CTL_ADD, from, &event) == 0);
    epoll_event ready = {};
    assert(epoll_wait(set, &ready, 1, -1) == 1 && ready.data.fd == from);
    close(set);
  }
}

std::string FetchThroughStream(int from) {
  FILE* const stream = fdopen(from, "r+");
  if (stream == nullptr || fputs("hello\n", stream) < 0 || fflush(stream) != 0) std::_Exit(9);
  char line[64] = "";
  if (fgets(line, sizeof line, stream) == nullptr) std::_Exit(9);
  fclose(stream);
  return line;
}

std::string FetchThroughPipes(const std::string& where) {
  const int to = open((where + ".out").c_str(), O_WRONLY);
  if (to < 0 || write(to, "hello\n", 6) != 6) std::_Exit(9);
  close(to);
  FILE* const stream = fopen((where + ".in").c_str(), "r");
  char line[64] = "";
  if (stream == nullptr || fgets(line, sizeof line, stream) == nullptr) std::_Exit(9);
  fclose(stream);
  return line;
}

// As many steps as the other end, or the system, says.
void Steps(unsigned count) {
  static std::atomic<unsigned> steps;
  for (unsigned i = 0; i < count; ++i) ++steps;
}

// Without waiting in connect or read.
std::string FetchAsking(const char* where) {
  const int to = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(where)));
  if (connect(to, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    pollfd one = {to, POLLOUT, 0};
    if (poll(&one, 1, -1) != 1) std::_Exit(9);
  }
  int error = -1;
  socklen_t length = sizeof error;
  if (getsockopt(to, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) std::_Exit(9);
  if (length != sizeof error) std::_Exit(6);
  length = sizeof address;
  if (getpeername(to, reinterpret_cast<sockaddr*>(&address), &length) != 0) std::_Exit(7);
  if (ntohs(address.sin_port) != std::atoi(where)) std::_Exit(7);
  length = sizeof address;
  if (getsockname(to, reinterpret_cast<sockaddr*>(&address), &length) != 0) std::_Exit(7);
  Steps(ntohs(address.sin_port) % 61);
  if (write(to, "hello\n", 6) != 6) std::_Exit(9);
  pollfd one = {to, POLLIN, 0};
  if (poll(&one, 1, -1) != 1) std::_Exit(9);
  int waiting = 0;
  if (ioctl(to, FIONREAD, &waiting) != 0 || waiting < 1) std::_Exit(9);
  Steps(static_cast<unsigned>(waiting));
  std::string line(static_cast<std::size_t>(waiting), ' ');
  if (read(to, line.data(), line.size()) != waiting) std::_Exit(5);
  close(to);
  return line;
}

std::string ReadAll(int from) {
  std::string all;
  for (char c; read(from, &c, 1) == 1;) all += c;
  close(from);
  return all;
}

// A pipe, a socket, a file and an eventfd, each with a part of the request or its size.
std::string FetchPassed(int from) {
  if (write(from, "hello\n", 6) != 6) std::_Exit(9);
  int passed[4] = {};
  char byte = 0;
  iovec part = {&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof passed)];
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(from, &message, 0) != 1 || message.msg_flags != 0) std::_Exit(9);
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) std::_Exit(9);
  std::memcpy(passed, CMSG_DATA(header), sizeof passed);
  for (const int one : passed) Steps(static_cast<unsigned>(one));
  std::uint64_t size = 0;
  if (read(passed[3], &size, sizeof size) != sizeof size) std::_Exit(5);
  close(passed[3]);
  const std::string in_pipe = ReadAll(passed[0]);
  const std::string in_socket = ReadAll(passed[1]);
  const std::string in_file = ReadAll(passed[2]);
  const std::string line = in_pipe + in_socket + in_file;
  if (size != line.size()) std::_Exit(4);
  close(from);
  return line;
}

std::string FetchThroughGivenPipe(int to) {
  int ends[2];
  if (pipe(ends) != 0) std::_Exit(9);
  char byte = '!';
  iovec part = {&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &ends[1], sizeof(int));
  if (sendmsg(to, &message, 0) != 1) std::_Exit(9);
  close(ends[1]);
  close(to);
  return ReadAll(ends[0]);
}

std::string FetchFromChild(bool is_early) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) std::_Exit(9);
  std::string line;
  std::thread reader;
  if (is_early) reader = std::thread([&] { line = ReadAll(ends[0]); });
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  char name[] = "echo", word[] = "break";
  char* const words[] = {name, word, nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, name, &actions, nullptr, words, environ) != 0) std::_Exit(9);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (is_early) {
    reader.join();
  } else {
    line = ReadAll(ends[0]);
  }
  int status = 1;
  if (waitpid(child, &status, 0) != child || status != 0) std::_Exit(4);
  return line;
}

pid_t StartScript(const char* script) {
  const pid_t child = fork();
  if (child == 0) {
    execlp("sh", "sh", script, nullptr);
    std::_Exit(9);
  }
  return child;
}

int StatusOfScript(const std::string& how, const char* script) {
  const std::string command = std::string("sh ") + script;
  if (how == "system") return std::system(command.c_str());
  if (how == "popen") return pclose(popen(command.c_str(), "r"));
  int status = 0;
  if (how == "spawn") {
    char name[] = "sh";
    std::string path = script;
    char* const words[] = {name, path.data(), nullptr};
    pid_t child = 0;
    if (posix_spawnp(&child, name, nullptr, nullptr, words, environ) != 0) std::_Exit(9);
    if (waitpid(child, &status, 0) != child) std::_Exit(4);
    return status;
  }
  const pid_t child = StartScript(script);
  if (how == "any") {
    // One that has ended is not waited for twice.
    if (wait(&status) != child || wait(nullptr) != -1 || errno != ECHILD) std::_Exit(4);
  } else if (how == "id") {
    siginfo_t info = {};
    if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED) != 0) std::_Exit(4);
    if (info.si_pid != child || info.si_code != CLD_EXITED) std::_Exit(4);
    status = info.si_status << 8;
  } else {
    pid_t ended = 0;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0) usleep(1000);
    if (ended != child) std::_Exit(4);
  }
  return status;
}

std::string FetchLine(const char* how, const char* where) {
  if (std::strcmp(how, "fifo") == 0) return FetchThroughPipes(where);
  if (std::strncmp(how, "spawn", 5) == 0) return FetchFromChild(how[5] != '\0');
  if (std::strncmp(how, "status-", 7) == 0) {
    const int status = StatusOfScript(how + 7, where);
    return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? "break\n" : "fine\n";
  }
  if (std::strcmp(how, "ask") == 0) return FetchAsking(where);
  const int from = Connect(how, where);
  if (std::strcmp(how, "pass") == 0) return FetchPassed(from);
  if (std::strcmp(how, "give") == 0) return FetchThroughGivenPipe(from);
  sockaddr_storage peer = {};
  socklen_t length = sizeof peer;
  if (getpeername(from, reinterpret_cast<sockaddr*>(&peer), &length) != 0) std::_Exit(7);
  if (std::strcmp(how, "stream") == 0) return FetchThroughStream(from);
  if (write(from, "hello\n", 6) != 6) std::_Exit(9);
  std::string line;
  if (std::strcmp(how, "flood") == 0) {
    std::vector<char> buffer(1 << 16);
    while (line.empty() || line.back() != '\n') {
      const long size = read(from, buffer.data(), buffer.size());
      if (size <= 0) std::_Exit(9);
      line.append(buffer.data(), static_cast<std::size_t>(size));
    }
    close(from);
    return line.substr(line.size() - 6);
  }
  for (char c = 0; c != '\n';) {
    AwaitBytes(how, from);
    if (read(from, &c, 1) != 1) break;
    line += c;
  }
  close(from);
  return line;
}

void Fetch(const char* how, const char* where) {
  const std::string line = FetchLine(how, where);
  {
    const std::lock_guard lock(mutex);
    request = line;
    is_ready = true;
    changed.notify_one();
  }
  Handle();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::thread fetcher(Fetch, argv[1], argc > 2 ? argv[2] : "");
  std::thread helper([] {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [] { return is_ready; });
    }
    Handle();
  });
  fetcher.join();
  helper.join();
  if (request == "break\n") assert(handled == 2);
}
