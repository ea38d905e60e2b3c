// What a sampling search is worth, in numbers: for its report and its JSON.
//
// All of it holds for this sampler on this program with this set of scheduling points: a class that
// the sampler never meets is not covered by any number here.
#ifndef HEDDLE_STATS_VERDICT_H_
#define HEDDLE_STATS_VERDICT_H_

#include <cstdint>
#include <string>

#include "stats/class_frequencies.h"
#include "stats/coverage.h"
#include "stats/proportion.h"

namespace heddle {

struct Verdict {
  std::uint64_t runs = 0;
  std::uint64_t hits = 0;
  double hit_ratio = 0;
  Interval ci95;         // of the hit ratio, Clopper-Pearson
  double p_upper95 = 1;  // upper end of the failure's probability: exact rule of three without hits
  double classes_seen = 0;
  double classes_estimate = 0;  // at least so many there are
  bool classes_exact = true;
  UnseenMass unseen;
  // With hits: runs after which such a failure shows with 99 % probability, at the measured ratio.
  // Without: runs without a failure that would let us state p_upper95 with 99 % confidence.
  std::uint64_t runs_for_99 = 0;
};

// `hits` of `counts.runs` runs showed the failure in question (or any failure).
Verdict Judge(std::uint64_t hits, const FrequencyCounts& counts);

// The verdict as one or two sentences.
std::string Describe(const Verdict& verdict);

}  // namespace heddle

#endif  // HEDDLE_STATS_VERDICT_H_
