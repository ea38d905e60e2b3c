// A hash table from words to small values that is emptied at once: entries carry the number of the
// life they belong to.
#ifndef HEDDLE_TRACE_STAMPED_TABLE_H_
#define HEDDLE_TRACE_STAMPED_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

// A value that was never set is Value().
template <typename Value>
class StampedTable {
 public:
  void Clear() {
    used_ = 0;
    if (++life_ == 0) {
      slots_.assign(slots_.size(), Slot());
      life_ = 1;
    }
  }

  // nullptr when it was never asked for; valid until the next call of At().
  Value* Find(std::uint64_t key) {
    if (used_ == 0) return nullptr;
    for (std::size_t at = Home(key);; ++at) {
      Slot& slot = slots_[at & mask_];
      if (slot.life != life_) return nullptr;
      if (slot.key == key) return &slot.value;
    }
  }

  Value& At(std::uint64_t key) {
    if (__builtin_expect(used_ >= most_, 0)) Grow();
    for (std::size_t at = Home(key);; ++at) {
      Slot& slot = slots_[at & mask_];
      if (slot.life == life_ && slot.key == key) return slot.value;
      if (slot.life == life_) continue;
      slot = {key, Value(), life_};
      ++used_;
      return slot.value;
    }
  }

  std::size_t size() const { return used_; }

  // Calls visit(key, value&) for all, in no order that means anything.
  template <typename Visit>
  void ForEach(const Visit& visit) {
    for (Slot& slot : slots_) {
      if (slot.life == life_) visit(slot.key, slot.value);
    }
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Value value = Value();
    std::uint32_t life = 0;
  };

  static std::size_t Home(std::uint64_t key) { return (key * 0x9e3779b97f4a7c15ull) >> 32; }

  [[gnu::noinline]] void Grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    most_ = slots_.size() / 2;
    used_ = 0;
    for (const Slot& slot : old) {
      if (slot.life == life_) At(slot.key) = slot.value;
    }
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;  // of their number
  std::size_t most_ = 0;  // used at once
  std::size_t used_ = 0;
  std::uint32_t life_ = 1;
};

}  // namespace heddle

#endif  // HEDDLE_TRACE_STAMPED_TABLE_H_
