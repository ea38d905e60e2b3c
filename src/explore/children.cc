#include "explore/children.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string>

namespace heddle {
namespace {

std::mutex mutex;
std::set<pid_t> own;
bool adopting = false;

}  // namespace

void AdoptOrphans() {
  const std::lock_guard lock(mutex);
  adopting = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

pid_t ForkOwnChild() {
  // Held in the child too, which only executes something.
  mutex.lock();
  const pid_t pid = fork();
  if (pid == 0) return 0;
  if (pid > 0) own.insert(pid);
  mutex.unlock();
  return pid;
}

void ForgetOwnChild(pid_t pid) {
  const std::lock_guard lock(mutex);
  own.erase(pid);
}

void EndOrphans() {
  const std::lock_guard lock(mutex);
  if (!adopting) return;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (failed != std::errc() || *end != '\0' || own.count(pid) != 0) continue;
    if (ParentOf(pid) != getpid()) continue;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
}

namespace {

// What the system says of a process, behind its name, which may hold anything, blanks and
// parentheses too.
std::string StatOf(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  if (!std::getline(file, text)) return {};
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos ? std::string() : text.substr(name_end + 1);
}

}  // namespace

pid_t ParentOf(pid_t pid) {
  char state;
  int parent = 0;
  if (std::sscanf(StatOf(pid).c_str(), " %c %d", &state, &parent) != 2) return 0;
  return parent;
}

double ProcessorSecondsOf(pid_t pid) {
  unsigned long user = 0, system = 0;
  // State, ten numbers that do not matter here, then these.
  if (std::sscanf(StatOf(pid).c_str(), " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                  &user, &system) != 2) {
    return 0;
  }
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace heddle
