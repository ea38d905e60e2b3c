#include "runtime/memory/heap.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace heddle {
namespace {

HeapBlock Name(std::uint64_t nth) {
  HeapBlock name;
  name.owner_path = 7;
  name.nth = nth;
  return name;
}

void* Allocate(std::size_t size, std::size_t alignment = 16, std::uint64_t nth = 1) {
  bool is_fresh = false;
  return Heap::Allocate(size, alignment, Name(nth), &is_fresh);
}

std::uint64_t Address(void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

TEST(HeapTest, BlocksOfEverySizeAreApartAlignedAndFoundFromInside) {
  std::vector<std::pair<std::uint64_t, std::size_t>> blocks;
  for (const std::size_t size : {0ul, 1ul, 16ul, 17ul, 100ul, 256ul, 257ul, 1000ul, 4096ul, 32768ul,
                                 32769ul, 200000ul, 1ul << 20}) {
    void* const block = Allocate(size);
    ASSERT_NE(block, nullptr);
    blocks.emplace_back(Address(block), size);
  }

  for (const auto& [address, size] : blocks) {
    EXPECT_EQ(address % 16, 0u) << size;
    const HeapRange inside = Heap::Find(address + (size > 0 ? size - 1 : 0));
    ASSERT_NE(inside.block, nullptr) << size;
    EXPECT_EQ(inside.base, address) << size;
    EXPECT_EQ(inside.block->size, size);
    for (const auto& [other, other_size] : blocks) {
      if (other == address) continue;
      EXPECT_TRUE(address + size <= other || other + other_size <= address)
          << size << " " << other_size;
    }
  }
}

TEST(HeapTest, HonoursEveryAlignmentUpToAPageOfItsOwn) {
  for (std::size_t alignment = 16; alignment <= 65536; alignment *= 2) {
    for (const std::size_t size : {1ul, 24ul, 5000ul, 70000ul}) {
      void* const block = Allocate(size, alignment);
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(Address(block) % alignment, 0u) << alignment << " " << size;
    }
  }
}

TEST(HeapTest, HandsOutTheBlockFreedLastAndSaysThatItIsNotFresh) {
  void* const first = Allocate(48);
  void* const second = Allocate(48);
  ASSERT_TRUE(Heap::Free(first));
  ASSERT_TRUE(Heap::Free(second));

  bool is_fresh = true;
  EXPECT_EQ(Heap::Allocate(48, 16, Name(3), &is_fresh), second);
  EXPECT_FALSE(is_fresh);
  EXPECT_EQ(Heap::Allocate(40, 16, Name(4), &is_fresh), first);
}

TEST(HeapTest, RefusesToFreeWhatIsNotABlockOrIsFreeAlready) {
  void* const block = Allocate(64);
  EXPECT_FALSE(Heap::Free(reinterpret_cast<void*>(Address(block) + 8)));
  EXPECT_TRUE(Heap::Free(block));
  EXPECT_FALSE(Heap::Free(block));
  int local = 0;
  EXPECT_FALSE(Heap::Free(&local));
}

TEST(HeapTest, CountsTheBytesInUse) {
  const std::uint64_t before = Heap::BytesInUse();
  void* const small = Allocate(100);
  void* const large = Allocate(1 << 20);
  EXPECT_EQ(Heap::BytesInUse(), before + 100 + (1 << 20));
  Heap::Free(small);
  Heap::Free(large);
  EXPECT_EQ(Heap::BytesInUse(), before);
}

TEST(HeapTest, RefusesWhatCanNeverFit) { EXPECT_EQ(Allocate(std::size_t{1} << 50), nullptr); }

}  // namespace
}  // namespace heddle
