#include "explore/class_counter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/hash.h"

namespace heddle {
namespace {

constexpr int kRegisterBits = 14;
constexpr std::size_t kRegisters = std::size_t{1} << kRegisterBits;
constexpr std::size_t kFirstPlaces = 1024;

}  // namespace

ClassCounter::ClassCounter(std::size_t exact_limit)
    : exact_limit_(exact_limit), places_(kFirstPlaces, 0), registers_(kRegisters, 0) {}

// `mixed` says where to look first.
bool ClassCounter::Insert(std::uint64_t class_hash, std::uint64_t mixed) {
  if (class_hash == 0) return !std::exchange(saw_zero_, true);
  const std::size_t mask = places_.size() - 1;
  std::size_t at = mixed & mask;
  while (places_[at] != 0 && places_[at] != class_hash) at = (at + 1) & mask;
  return std::exchange(places_[at], class_hash) == 0;
}

void ClassCounter::Grow() {
  std::vector<std::uint64_t> old(places_.size() * 2, 0);
  old.swap(places_);
  for (const std::uint64_t class_hash : old) {
    if (class_hash != 0) Insert(class_hash, Mix(class_hash));
  }
}

bool ClassCounter::Add(std::uint64_t class_hash) {
  const std::uint64_t hash = Mix(class_hash);
  const std::size_t index = hash >> (64 - kRegisterBits);
  // The marker bit bounds the rank when all remaining bits are zero.
  const std::uint64_t rest = (hash << kRegisterBits) | (std::uint64_t{1} << (kRegisterBits - 1));
  const auto rank = static_cast<std::uint8_t>(std::countl_zero(rest) + 1);
  const bool raises = rank > registers_[index];
  registers_[index] = std::max(registers_[index], rank);
  if (!exact_) return raises;
  if (!Insert(class_hash, hash)) return false;
  if (++seen_ > exact_limit_) {
    exact_ = false;
    places_ = {};
  } else if (seen_ * 2 > places_.size()) {
    Grow();
  }
  return true;
}

std::uint64_t ClassCounter::Count() const {
  if (exact_) return seen_;
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
