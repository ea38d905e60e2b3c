// What a sampling search is worth, in numbers: for its report and its JSON.
//
// All of it holds for this sampler on this program with this set of scheduling points: a class that
// the sampler never meets is not covered by any number here. Where a portfolio of samplers took
// turns, the numbers are those of the mixture: without a hit the bound still holds for the mean of
// the runs' probabilities, for the product of (1 - p_i) is at most (1 - mean)^n.
#ifndef HEDDLE_STATS_VERDICT_H_
#define HEDDLE_STATS_VERDICT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "stats/class_frequencies.h"
#include "stats/coverage.h"
#include "stats/proportion.h"

namespace heddle {

// What ended the search. A search that stops at its first failure has a random number of runs, and
// other intervals than one whose runs were fixed beforehand.
enum class StoppingRule : std::uint8_t { kBudget, kFirstHit };

// How often one failure (or any) showed.
struct HitRatio {
  std::uint64_t hits = 0;
  std::uint64_t runs = 0;
  double ratio = 0;
  Interval ci95;
  // Runs after which it has shown with 99 % probability, at the measured ratio; 0 without hits.
  std::uint64_t runs_for_99 = 0;
};

// kFirstHit: the hit, if there was one, came in the last of the runs. That the search stopped at a
// first failure of any kind leaves the interval right for the one it was: other failures can only
// make both tails of its first run rarer.
HitRatio MeasureHits(std::uint64_t hits, std::uint64_t runs, StoppingRule rule);

// One sampler's part in a search.
struct SamplerShare {
  std::string name;
  std::uint64_t runs = 0;
  std::uint64_t hits = 0;
  // What its runs were the first to show.
  std::uint64_t new_pairs = 0;
  std::uint64_t new_classes = 0;
};

struct SamplingVerdict {
  StoppingRule rule = StoppingRule::kBudget;
  HitRatio any;          // of all failures together
  double p_upper95 = 1;  // upper end of the failure's probability: exact rule of three without hits
  double classes_seen = 0;
  double classes_estimate = 0;  // at least so many there are
  bool classes_exact = true;
  UnseenMass unseen;
  // With hits: as in `any`. Without: clean runs that would let us state p_upper95 with 99 %
  // confidence.
  std::uint64_t runs_for_99 = 0;
  std::vector<SaturationCurve::Point> saturation;
  std::vector<SamplerShare> samplers;  // in the order of their first runs
};

SamplingVerdict JudgeSamples(const HitRatio& any, StoppingRule rule,
                             const FrequencyCounts& classes);

// The verdict in a few sentences, without the line end.
std::string Describe(const SamplingVerdict& verdict);
// "in 0.0123 of the runs (95 % interval 0.01 to 0.02)".
std::string Describe(const HitRatio& ratio);

}  // namespace heddle

#endif  // HEDDLE_STATS_VERDICT_H_
