// Many runs of a strategy on a Program, counted: how often each class, how often a failure.
//
// Goes the way the explorer goes: plans one by one while the search learns, then, once runs are
// independent, one plan with the run's number counting up.
#ifndef HEDDLE_SIMULATE_SAMPLE_H_
#define HEDDLE_SIMULATE_SAMPLE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>

#include "simulate/machine.h"
#include "simulate/program.h"

namespace heddle::simulate {

struct SampleOptions {
  std::string_view strategy;  // as a user writes it: "pct:depth=3"
  std::uint64_t runs = 0;     // counted; the runs a search needs to learn come before
  std::uint64_t seed = 1;
  bool stop_at_failure = false;
  bool count_classes = true;
};

struct SampleCounts {
  std::uint64_t runs = 0;
  std::uint64_t failures = 0;
  std::uint64_t events = 0;
  std::map<std::uint64_t, std::uint64_t> classes;  // by class hash

  double HitRatio() const { return static_cast<double>(failures) / static_cast<double>(runs); }
};

SampleCounts Sample(const Program& program, const SampleOptions& options);

// The same, with a call per counted run instead of counts.
void ForEachSample(const Program& program, const SampleOptions& options, bool keep_records,
                   const std::function<void(const RunRecord&, const Machine&)>& visit);

}  // namespace heddle::simulate

#endif  // HEDDLE_SIMULATE_SAMPLE_H_
