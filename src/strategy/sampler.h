// The Search of every sampler whose runs know nothing of each other: run i is (seed, i).
#ifndef HEDDLE_STRATEGY_SAMPLER_H_
#define HEDDLE_STRATEGY_SAMPLER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "strategy/strategy.h"

namespace heddle {

// The seed of all that is drawn in one run.
inline std::uint64_t RunSeed(const Plan& plan) { return Mix(plan.seed, plan.run); }

// Proposes runs 1, 2, 3 ... for ever, all with the same parameters. Learns nothing.
class SamplerSearch final : public Search {
 public:
  // `policy` must outlive the search: it is a name in the registry.
  SamplerSearch(std::string_view policy, std::uint64_t seed,
                const std::array<std::uint64_t, 8>& params = {})
      : policy_(policy), seed_(seed), params_(params) {}

  std::optional<Plan> Next() override;
  void Learn(const Plan& plan, const RunTrace& trace) override {
    (void)plan;
    (void)trace;
  }
  bool Independent() const override { return true; }
  bool Ordered() const override { return true; }
  std::uint64_t Extend(std::uint64_t most) override {
    given_ += most;
    return most;
  }
  void Rewind(std::uint64_t last) override { given_ = last; }
  void Restart() override { given_ = 0; }
  std::string Save() const override;
  Status Load(std::string_view state) override;

 private:
  const std::string_view policy_;
  const std::uint64_t seed_;
  const std::array<std::uint64_t, 8> params_;
  std::uint64_t given_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_SAMPLER_H_
