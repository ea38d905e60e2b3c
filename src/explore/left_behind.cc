#include "explore/left_behind.h"

#include <optional>

#include "explore/examiner.h"
#include "explore/judge.h"
#include "explore/replayer.h"

namespace heddle {
namespace {

// Without any preemption; nothing when that could not be found out.
std::optional<bool> Fails(const FailedRun& failed, const Invocation& invocation,
                          const WorkerOptions& options, const Expectations& expected,
                          const std::atomic<bool>& interrupt) {
  Replayer replayer(invocation, options, &interrupt);
  if (!replayer.Ready()) return std::nullopt;
  const Plan plan = PlanOf({}, failed.plan.run, failed.plan.seed);
  const Result<Reply> reply = replayer.Run({.plan = &plan,
                                            .sites = failed.points->For(replayer.modules()),
                                            .input = failed.trace.input,
                                            .hang_seconds = PatienceWith(failed, options)});
  if (!reply || reply->records.empty()) return std::nullopt;
  return JudgeRun(reply->records.back(), reply->output, expected) != Verdict::kPassed;
}

}  // namespace

bool FailsOnlyAfterEarlierRuns(const FailedRun& failed, const Invocation& invocation,
                               const ExploreOptions& options, const std::string& temporary,
                               const std::atomic<bool>& interrupt) {
  const Expectations expected{.exit_status = options.expected_exit, .output = {}};
  WorkerOptions worker = options.worker;
  worker.temporary = temporary + "/0000";
  if (Fails(failed, invocation, worker, expected, interrupt) != true) return false;
  worker.isolation = Isolation::kProcess;
  return Fails(failed, invocation, worker, expected, interrupt) == false;
}

}  // namespace heddle
