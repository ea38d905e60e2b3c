// What the classes that were seen tell about those that were not.
#ifndef HEDDLE_STATS_COVERAGE_H_
#define HEDDLE_STATS_COVERAGE_H_

#include <cstdint>
#include <vector>

#include "stats/class_frequencies.h"
#include "stats/proportion.h"

namespace heddle {

// The probability that the next run is of a class not seen so far: Good and Turing's estimate, with
// Esty's 95 % interval (Annals of Statistics 11, 1983). Where hardly a class was seen only once the
// interval is widened to what the rule of three allows, for its width is itself an estimate then.
struct UnseenMass {
  double estimate = 1;
  Interval ci95;
};
UnseenMass EstimateUnseenMass(const FrequencyCounts& counts);

// How many classes there are, at least: Chao's estimate from those seen once and twice.
double EstimateClasses(const FrequencyCounts& counts);

// Classes over runs, at 1, 2, 5, 10, 20, 50 ... runs and at the end.
class SaturationCurve {
 public:
  struct Point {
    std::uint64_t runs = 0;
    std::uint64_t classes = 0;
  };

  // After every run, with the classes seen by then.
  void Add(std::uint64_t runs, std::uint64_t classes);
  // The last point is the last run added.
  std::vector<Point> Points() const;

 private:
  std::vector<Point> kept_;
  Point last_;
  std::uint64_t next_ = 1;
};

}  // namespace heddle

#endif  // HEDDLE_STATS_COVERAGE_H_
