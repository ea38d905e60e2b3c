// Runs made one at a time to repeat something: replays, reference runs, shrinking.
#ifndef HEDDLE_EXPLORE_REPLAYER_H_
#define HEDDLE_EXPLORE_REPLAYER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "explore/validate.h"
#include "explore/worker.h"
#include "report/finding.h"
#include "trace/plan.h"

namespace heddle {

// The rule for what a recording says nothing about: the thread that runs goes on.
inline constexpr char kTailPolicy[] = "nonpreemptive";

Plan PlanOf(std::vector<Answer> answers, std::uint64_t run, std::uint64_t seed);

// Owns one worker and replaces it when it is lost. Bound to one thread, like its worker.
class Replayer {
 public:
  Replayer(Invocation invocation, WorkerOptions options, const std::atomic<bool>* interrupt)
      : invocation_(std::move(invocation)), options_(std::move(options)), interrupt_(interrupt) {}

  // Starts the worker when there is none. An Error also when the program ends before main: then
  // death() says how.
  Status Ready();
  const std::optional<WorkerDeath>& death() const { return death_; }
  // The next run gets a worker of its own.
  void Renew() { worker_.reset(); }
  // Of the worker that is ready.
  std::span<const ModuleRecord> modules() const { return worker_->modules(); }

  // One run; its trace is there in any case.
  Result<Reply> Run(Order order);

 private:
  const Invocation invocation_;
  const WorkerOptions options_;
  const std::atomic<bool>* const interrupt_;
  std::unique_ptr<WorkerProcess> worker_;
  std::optional<WorkerDeath> death_;
};

// The trace of a program that ended before it could make a run: a failure without a schedule.
OwnedTrace TraceOf(const WorkerDeath& death);

// Whether two runs did the same and ended the same way.
bool AreIdentical(const OwnedTrace& a, const OwnedTrace& b);

// A sentence about the first step at which a replay left its recording.
std::string FirstDifference(const OwnedTrace& recorded, const OwnedTrace& replay);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_REPLAYER_H_
