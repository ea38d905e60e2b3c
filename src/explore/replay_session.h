// A stored schedule run again: on the same build by its answers, on another one by its anchors.
#ifndef HEDDLE_EXPLORE_REPLAY_SESSION_H_
#define HEDDLE_EXPLORE_REPLAY_SESSION_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "explore/worker.h"
#include "report/finding_store.h"

namespace heddle {

enum class ReplayStatus : std::uint8_t { kReproduced, kPassed, kDiverged };
std::string_view NameOf(ReplayStatus status);

struct ReplayOptions {
  std::uint64_t times = 1;
  WorkerOptions worker;
  int expected_exit = 0;
  std::optional<std::uint64_t> expected_output;  // its hash
};

struct Replayed {
  std::uint64_t replays = 0;
  std::uint64_t identical = 0;  // the recording's events, and its failure
  // Of the worst replay: diverged, then passed, then reproduced.
  ReplayStatus status = ReplayStatus::kReproduced;
  std::string kind;  // of the failure that was seen, as in JSON; empty = none
  bool same_build = true;
  std::string detail;  // where it diverged, what else was seen; a sentence
  std::string output;  // of the last replay that was not reproduced, or of the last one
  std::vector<std::string> unresolved;  // places of the schedule that this build does not have
};

Result<Replayed> ReplaySchedule(const StoredFinding& stored, const Invocation& invocation,
                                const ReplayOptions& options, const std::atomic<bool>& interrupt);

// What a schedule becomes for a worker with these modules, ready to be posted.
struct ReplayPlan {
  Plan plan;
  ResolvedSchedule resolved;
  std::vector<std::uint8_t> input;  // that the schedule carries
  std::uint32_t parked = 0;         // as of the schedule

  Order MakeOrder() const;
};
Result<ReplayPlan> PlanReplay(const Schedule& schedule, std::span<const ModuleRecord> modules);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_REPLAY_SESSION_H_
