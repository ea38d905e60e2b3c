#include "stats/coverage.h"

#include <algorithm>
#include <cmath>

namespace heddle {

UnseenMass EstimateUnseenMass(const FrequencyCounts& counts) {
  if (counts.runs == 0) return {};
  constexpr double kZ = 1.959963984540054;
  const auto n = static_cast<double>(counts.runs);
  const double estimate = std::min(1.0, counts.once / n);
  const double variance = (counts.once * (1 - estimate) + 2 * counts.twice) / (n * n);
  const double half = kZ * std::sqrt(std::max(0.0, variance));
  const double least_high = UpperBoundWithoutHit(counts.runs);
  return {.estimate = estimate,
          .ci95 = {.low = std::max(0.0, estimate - half),
                   .high = std::min(1.0, std::max(estimate + half, least_high))}};
}

double EstimateClasses(const FrequencyCounts& counts) {
  if (counts.runs == 0) return 0;
  const auto n = static_cast<double>(counts.runs);
  // The bias-corrected form, which also works when no class was seen twice.
  return counts.classes +
         (n - 1) / n * counts.once * std::max(0.0, counts.once - 1) / (2 * (counts.twice + 1));
}

void SaturationCurve::Add(std::uint64_t runs, std::uint64_t classes) {
  last_ = {.runs = runs, .classes = classes};
  if (runs < next_) return;
  kept_.push_back(last_);
  while (next_ <= runs) {
    std::uint64_t power = 1;
    while (power <= next_ / 10) power *= 10;
    const std::uint64_t digit = next_ / power;
    next_ = digit < 2 ? 2 * power : digit < 5 ? 5 * power : 10 * power;
  }
}

std::vector<SaturationCurve::Point> SaturationCurve::Points() const {
  std::vector<Point> points = kept_;
  if (last_.runs > 0 && (points.empty() || points.back().runs != last_.runs)) {
    points.push_back(last_);
  }
  return points;
}

}  // namespace heddle
