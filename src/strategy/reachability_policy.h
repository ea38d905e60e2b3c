// One run of reachability testing: begin with a variant, then go on freely.
//
// Whatever is no SYN-event is done at once, so that every thread stands before its next call, or
// waits. Then the owners that the variant fixes take their partners; after that all may go on,
// except that the first free receive of a recollected owner takes new sends only. When nothing else
// is left, the run goes on all the same: the search sees where it should have ended
// (strategy/syn_reader.h).
#ifndef HEDDLE_STRATEGY_REACHABILITY_POLICY_H_
#define HEDDLE_STRATEGY_REACHABILITY_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "strategy/strategy.h"
#include "strategy/syn_ops.h"
#include "strategy/variant_data.h"

namespace heddle {

class ReachabilityPolicy final : public Policy {
 public:
  void Begin(const Plan& plan) override;
  std::size_t Choose(const Decision& decision) override;
  void Answered(const Decision& decision, std::size_t chosen) override;
  void Observe(const Event& event, const RunView& view) override;
  bool Watches() const override { return true; }

 private:
  struct Message {
    ObjectId port = kNoObject;
    ThreadId sender = kNoThread;
    std::uint32_t number = 0;  // of the sender's sends
    std::uint32_t step = 0;    // of its send
    bool bounded = false;
  };
  struct OpenPort {
    ThreadId receiver = kNoThread;
    ObjectId port = kNoObject;
    PipeUse use = PipeUse::kNone;
  };
  struct Sleeper {
    ObjectId condition = kNoObject;
    ThreadId thread = kNoThread;
    std::uint32_t number = 0;  // of the send that a signal receives
  };
  struct State {
    std::uint32_t step = 0;
    std::size_t to_replay = 0;
    std::vector<std::uint32_t> received;  // by owner of the variant
    std::vector<std::uint32_t> sends;     // by thread
    std::vector<Message> messages;        // sent and not received, in the order sent
    std::vector<OpenPort> open;
    std::vector<Sleeper> sleepers;  // waiting on conditions, in the order of waiting
  };
  enum class Verdict : std::uint8_t { kLocal, kAllowed, kBarred };

  Verdict Judge(ThreadId thread, const RunView& view) const;
  bool MayTake(std::uint64_t owner_key, std::uint64_t path, std::uint32_t number) const;
  bool IsFirst(std::size_t message) const;
  std::size_t ChooseMessage(const Decision& decision);
  std::size_t ChooseSleeper(const Decision& decision);
  void Woken(std::size_t sleeper, const RunView& view);
  void Signalled(const Event& event, const RunView& view);
  bool IsQuiet(OpKind kind, ObjectId object, const RunView& view) const;
  OpenPort OpenPortOf(ThreadId thread) const;
  void UsedPipe(const Event& event, std::uint32_t step, const RunView& view);
  void Received(std::uint64_t owner_key);
  int OwnerIndex(std::uint64_t key) const;
  bool IsOld(std::uint64_t path, std::uint32_t number) const;

  VariantRows variant_;
  State state_;
};

std::unique_ptr<Policy> MakeReachabilityPolicy();

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_REACHABILITY_POLICY_H_
