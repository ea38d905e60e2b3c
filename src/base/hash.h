// Hashing that is the same on every machine, compiler and day.
#ifndef HEDDLE_BASE_HASH_H_
#define HEDDLE_BASE_HASH_H_

#include <cstdint>
#include <string_view>

namespace heddle {

// Finalizer of splitmix64: every input bit flips every output bit with probability one half.
constexpr std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

constexpr std::uint64_t Mix(std::uint64_t a, std::uint64_t b) { return Mix(Mix(a) ^ b); }

// Both halves of one product. Of words that are mixed already (sums and multiples of such): not as
// thorough as Mix, at a third of its cost.
constexpr std::uint64_t MixOnce(std::uint64_t x) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(x) * 0x9fb21c651e98df25ull;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// FNV-1a; for names and lines of text, not for tables under load.
constexpr std::uint64_t HashText(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  }
  return hash;
}

}  // namespace heddle

#endif  // HEDDLE_BASE_HASH_H_
