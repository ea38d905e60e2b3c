// The runs of a sampling search since its scheduling points last changed, as its verdict needs
// them.
#ifndef HEDDLE_STATS_SAMPLE_LOG_H_
#define HEDDLE_STATS_SAMPLE_LOG_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "stats/class_frequencies.h"
#include "stats/coverage.h"
#include "stats/verdict.h"

namespace heddle {

// Every run that was a random draw is added once, those before a change of the scheduling points
// included: they were draws from another distribution, so Restart forgets them. (A run sees a new
// point under the old set: add it first, then restart.)
class SampleLog {
 public:
  struct Sample {
    std::string_view sampler;                      // whose draw it was
    std::optional<std::uint64_t> class_hash = {};  // none: cut off, so of no known class
    bool failed = false;
    std::uint32_t new_pairs = 0;  // what it showed first, see trace/pair_coverage.h
    bool new_class = false;
  };

  void Add(const Sample& sample);
  void Restart() { *this = SampleLog(); }

  std::uint64_t runs() const { return runs_; }
  SamplingVerdict Judge(StoppingRule rule) const;

 private:
  std::uint64_t runs_ = 0;
  std::uint64_t hits_ = 0;
  ClassFrequencies classes_;
  SaturationCurve saturation_;
  std::vector<SamplerShare> samplers_;
};

}  // namespace heddle

#endif  // HEDDLE_STATS_SAMPLE_LOG_H_
