// The other end of a session: a test process that forks workers for us where it called
// heddle::Explore.
#ifndef HEDDLE_EXPLORE_TEST_PROCESS_H_
#define HEDDLE_EXPLORE_TEST_PROCESS_H_

#include <memory>
#include <mutex>
#include <string>

#include "explore/descriptor.h"
#include "explore/worker_source.h"
#include "trace/session.h"

namespace heddle {

// Thread-safe: one order at a time is under way.
class TestProcess final : public WorkerSource {
 public:
  // `socket` is ours from now on.
  explicit TestProcess(int socket) : socket_(socket) {}

  Result<Launched> Start(const Invocation& invocation, const LaunchSettings& settings) override;
  pid_t Wait(pid_t pid, int* status, int flags) override;

  // Starts the test program natively; its Explore call of that key will serve us. It dies with this
  // thread.
  static Result<std::unique_ptr<TestProcess>> Launch(const Invocation& invocation);
  ~TestProcess() override;

  // The test process itself becomes the worker behind this channel; no other order may follow.
  Status Become(int channel);
  // It has ended, or closed its end.
  bool IsGone();

  // The last order: the test goes on with this result (a SessionResult and what follows it).
  Status Finish(const std::string& result);

 private:
  Result<SessionAnswer> Ask(const SessionOrder& order, std::initializer_list<int> descriptors);
  Status Send(const SessionOrder& order, std::initializer_list<int> descriptors);

  Descriptor socket_;
  pid_t launched_ = -1;
  std::mutex mutex_;
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_TEST_PROCESS_H_
