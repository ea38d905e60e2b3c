// Answers decisions from a recording: by exact answers for the same build, or by anchors for
// another one.
//
// Exact: the plan's prefix, checked at every step. Anchored: the running thread goes on until it
// reaches the place where the recording switched (see AnchorRecord).
#ifndef HEDDLE_RUNTIME_SCHEDULER_REPLAY_H_
#define HEDDLE_RUNTIME_SCHEDULER_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/channel.h"
#include "trace/decision.h"

namespace heddle {

class Scheduler;
struct Thread;

class Replay {
 public:
  void Begin(Channel* channel);
  // From a checkpoint: the first `answered` decisions were answered before.
  void GoOn(Channel* channel, std::size_t answered) {
    Begin(channel);
    next_ = answered;
  }
  // These answers only, which must outlive the run.
  void Begin(std::span<const heddle::Answer> answers);

  // A thread announced an operation: anchors count their occurrences. `frames` innermost first.
  bool anchored() const { return !anchors_.empty(); }
  void Announced(const Thread& thread, const PendingOp& op);

  // The index of the option to take; -1: the recording says nothing here, ask the policy.
  int Answer(const Decision& decision, const Scheduler& scheduler);

  // Set when an answer did not fit; the run ends there.
  bool diverged() const { return diverged_; }
  std::uint32_t at() const { return static_cast<std::uint32_t>(next_); }

 private:
  int AnswerByAnchors(const Decision& decision, const Scheduler& scheduler);

  std::span<const heddle::Answer> answers_;
  std::size_t next_ = 0;
  bool tolerant_ = false;
  bool diverged_ = false;

  std::span<const AnchorRecord> anchors_;
  std::span<const CodeRange> ranges_;
  std::vector<std::uint32_t> seen_;  // occurrences so far, by anchor
  std::vector<bool> due_;            // its place was reached
  std::size_t next_anchor_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_REPLAY_H_
