#include "explore/class_counter.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/hash.h"

namespace heddle {
namespace {

constexpr int kRegisterBits = 14;
constexpr std::size_t kRegisters = std::size_t{1} << kRegisterBits;

}  // namespace

ClassCounter::ClassCounter(std::size_t exact_limit)
    : exact_limit_(exact_limit), registers_(kRegisters, 0) {}

bool ClassCounter::Add(std::uint64_t class_hash) {
  const std::uint64_t hash = Mix(class_hash);
  const std::size_t index = hash >> (64 - kRegisterBits);
  // The marker bit bounds the rank when all remaining bits are zero.
  const std::uint64_t rest = (hash << kRegisterBits) | (std::uint64_t{1} << (kRegisterBits - 1));
  const auto rank = static_cast<std::uint8_t>(std::countl_zero(rest) + 1);
  const bool raises = rank > registers_[index];
  registers_[index] = std::max(registers_[index], rank);
  if (!exact_) return raises;
  const bool is_new = seen_.insert(class_hash).second;
  if (seen_.size() > exact_limit_) {
    exact_ = false;
    seen_ = {};
  }
  return is_new;
}

std::uint64_t ClassCounter::Count() const {
  if (exact_) return seen_.size();
  constexpr double kCount = kRegisters;
  const double alpha = 0.7213 / (1 + 1.079 / kCount);
  double sum = 0;
  std::size_t empty = 0;
  for (const std::uint8_t rank : registers_) {
    sum += std::ldexp(1.0, -rank);
    empty += rank == 0 ? 1 : 0;
  }
  double estimate = alpha * kCount * kCount / sum;
  if (estimate <= 2.5 * kCount && empty != 0) {
    estimate = kCount * std::log(kCount / static_cast<double>(empty));
  }
  return static_cast<std::uint64_t>(std::llround(estimate));
}

}  // namespace heddle
