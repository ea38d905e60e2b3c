// How sure one can be of a proportion after n independent runs.
#ifndef HEDDLE_STATS_PROPORTION_H_
#define HEDDLE_STATS_PROPORTION_H_

#include <cstdint>

namespace heddle {

struct Interval {
  double low = 0;
  double high = 1;
};

// The Clopper-Pearson interval: contains the true proportion in at least 95 of 100 such
// experiments, whatever it is. Never shorter than it must be to promise that; `runs` > 0.
Interval ClopperPearson95(std::uint64_t hits, std::uint64_t runs);

// The exact interval for a search that stops at its first hit, which came in run `first_hit` > 0:
// the number of runs is what is random then, and Clopper-Pearson's for one hit would be too wide.
Interval FirstHit95(std::uint64_t first_hit);

// The Wilson score interval: 95 of 100 on average over proportions, and shorter; `runs` > 0.
Interval Wilson95(std::uint64_t hits, std::uint64_t runs);

// The largest probability under which an event does not happen in `runs` runs with at least the
// given probability of error: the rule of three, exactly. 1 when there were no runs.
double UpperBoundWithoutHit(std::uint64_t runs, double error = 0.05);

// Runs after which an event of probability p has happened with the given confidence.
// p <= 0: never, which is UINT64_MAX.
std::uint64_t RunsToHit(double p, double confidence = 0.99);

// The regularised incomplete beta function I_x(a, b), for a, b > 0 and x in [0, 1].
double IncompleteBeta(double a, double b, double x);

}  // namespace heddle

#endif  // HEDDLE_STATS_PROPORTION_H_
