// The only source of randomness in heddle: xoshiro256**, seeded by splitmix64.
//
// Draw in a statement of its own: argument evaluation order is unspecified in C++, and a draw
// inside an expression gives g++ and clang++ different schedules.
#ifndef HEDDLE_BASE_RNG_H_
#define HEDDLE_BASE_RNG_H_

#include <cstdint>

#include "base/hash.h"

namespace heddle {

class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) { Seed(seed); }

  // As if made of it; in its place, because a copy would wait for what was just written.
  constexpr void Seed(std::uint64_t seed) {
    for (auto& word : state_) word = Mix(seed++);
  }

  constexpr std::uint64_t Next() {
    const std::uint64_t result = RotateLeft(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = RotateLeft(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound), without bias (Lemire's multiply-and-reject); bound > 0.
  constexpr std::uint64_t Below(std::uint64_t bound) {
    unsigned __int128 product = static_cast<unsigned __int128>(Next()) * bound;
    auto low = static_cast<std::uint64_t>(product);
    if (low < bound) {
      const std::uint64_t threshold = -bound % bound;
      while (low < threshold) {
        product = static_cast<unsigned __int128>(Next()) * bound;
        low = static_cast<std::uint64_t>(product);
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // Uniform in [0, 1) with 53 bits.
  constexpr double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

 private:
  static constexpr std::uint64_t RotateLeft(std::uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
  }

  std::uint64_t state_[4] = {};
};

}  // namespace heddle

#endif  // HEDDLE_BASE_RNG_H_
