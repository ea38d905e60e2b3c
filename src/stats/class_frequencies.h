// How often each equivalence class was seen, in bounded memory: enough to say how many were seen
// once and twice, which is what tells how many were not seen at all.
#ifndef HEDDLE_STATS_CLASS_FREQUENCIES_H_
#define HEDDLE_STATS_CLASS_FREQUENCIES_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace heddle {

// Counts of classes by how often they were seen.
struct FrequencyCounts {
  std::uint64_t runs = 0;
  double classes = 0;  // seen
  double once = 0;     // seen exactly once
  double twice = 0;
  bool exact = true;
};

// Exact until more than `capacity` classes are there. From then on only the classes whose hash ends
// in k zero bits are followed, k growing as needed, and the counts are scaled: unbiased, for a
// class is followed from its first run on or never counted.
class ClassFrequencies {
 public:
  explicit ClassFrequencies(std::size_t capacity = std::size_t{1} << 20) : capacity_(capacity) {}

  void Add(std::uint64_t class_hash);
  FrequencyCounts Counts() const;
  // Classes seen, as in Counts().
  std::uint64_t Seen() const { return seen_.size() << bits_; }

 private:
  void Thin();
  bool IsFollowed(std::uint64_t key) const {
    return (key & ((std::uint64_t{1} << bits_) - 1)) == 0;
  }
  void Move(std::uint64_t from, int by);

  std::size_t capacity_;
  int bits_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t once_ = 0;
  std::uint64_t twice_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> seen_;  // mixed hash -> times
};

}  // namespace heddle

#endif  // HEDDLE_STATS_CLASS_FREQUENCIES_H_
