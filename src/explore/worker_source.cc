#include "explore/worker_source.h"

#include <sys/wait.h>

#include <cerrno>

#include "explore/children.h"

namespace heddle {
namespace {

class Program final : public WorkerSource {
 public:
  Result<Launched> Start(const Invocation& invocation, const LaunchSettings& settings) override {
    return Launch(invocation, settings);
  }

  pid_t Wait(pid_t pid, int* status, int flags) override {
    pid_t reaped;
    do {
      reaped = waitpid(pid, status, flags);
    } while (reaped == -1 && errno == EINTR);
    if (reaped != 0) ForgetOwnChild(pid);
    return reaped;
  }
};

}  // namespace

WorkerSource* ProgramSource() {
  static Program source;
  return &source;
}

}  // namespace heddle
