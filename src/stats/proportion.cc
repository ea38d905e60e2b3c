#include "stats/proportion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle {
namespace {

// The continued fraction of the incomplete beta function, by Lentz's method. Converges fast for
// x < (a + 1) / (a + b + 2).
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr double kPrecision = 1e-15;
  constexpr int kMostTerms = 100'000;
  const auto away_from_zero = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    const double factor = d * c;
    result *= factor;
    if (std::fabs(factor - 1) < kPrecision) break;
  }
  return result;
}

// x with IncompleteBeta(a, b, x) = p, by bisection: it is increasing.
double InverseIncompleteBeta(double a, double b, double p) {
  double low = 0, high = 1;
  for (int i = 0; i < 200 && high - low > 0; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (IncompleteBeta(a, b, middle) < p ? low : high) = middle;
  }
  return high;
}

}  // namespace

double IncompleteBeta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double scale = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return scale * BetaFraction(a, b, x) / a;
  return 1 - scale * BetaFraction(b, a, 1 - x) / b;
}

Interval ClopperPearson95(std::uint64_t hits, std::uint64_t runs) {
  constexpr double kTail = 0.025;
  const auto k = static_cast<double>(hits);
  const auto n = static_cast<double>(runs);
  Interval interval;
  if (hits > 0) interval.low = InverseIncompleteBeta(k, n - k + 1, kTail);
  if (hits < runs) interval.high = InverseIncompleteBeta(k + 1, n - k, 1 - kTail);
  return interval;
}

Interval Wilson95(std::uint64_t hits, std::uint64_t runs) {
  constexpr double kZ = 1.959963984540054;
  const auto n = static_cast<double>(runs);
  const double p = static_cast<double>(hits) / n;
  const double middle = p + kZ * kZ / (2 * n);
  const double half = kZ * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  const double scale = 1 + kZ * kZ / n;
  return {.low = std::max(0.0, (middle - half) / scale),
          .high = std::min(1.0, (middle + half) / scale)};
}

Interval FirstHit95(std::uint64_t first_hit) {
  // P(first hit in run n or before) = 0.025 at the lower end, P(in run n or behind) at the upper.
  return {.low = UpperBoundWithoutHit(first_hit, 0.975),
          .high = UpperBoundWithoutHit(first_hit - 1, 0.025)};
}

double UpperBoundWithoutHit(std::uint64_t runs, double error) {
  if (runs == 0) return 1;
  // 1 - error^(1/runs), without losing the digits of a small result.
  return -std::expm1(std::log(error) / static_cast<double>(runs));
}

std::uint64_t RunsToHit(double p, double confidence) {
  constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  if (p <= 0) return kNever;
  if (p >= 1) return 1;
  const double runs = std::ceil(std::log1p(-confidence) / std::log1p(-p));
  if (runs >= 1.8e19) return kNever;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(runs));
}

}  // namespace heddle
