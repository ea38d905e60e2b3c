#include "runtime/memory/heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/memory/shadow_for_tests.h"

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

TEST(HeapTest, WhatIsRetiredIsNeitherInUseNorHandedOutUntilItIsFreed) {
  const std::uint64_t before = Heap::BytesInUse();
  void* const block = Allocate(3000);
  Heap::Retire(Heap::Find(Address(block)));
  EXPECT_EQ(Heap::BytesInUse(), before);
  EXPECT_NE(Allocate(3000), block);

  EXPECT_TRUE(Heap::Free(block));
  EXPECT_EQ(Heap::BytesInUse(), before + 3000);
  EXPECT_EQ(Allocate(3000), block);
}

// Blocks of several sizes, several spans of one, full of ones at the end.
std::vector<void*> AllocateARunsBlocks() {
  std::vector<void*> blocks;
  for (int i = 0; i < 200; ++i) {
    for (const std::size_t size : {1ul, 24ul, 700ul, 5000ul}) {
      bool is_fresh = false;
      auto* const block = static_cast<char*>(Heap::Allocate(size, 16, Name(1), &is_fresh));
      EXPECT_TRUE(is_fresh);
      EXPECT_EQ(std::count(block, block + size, 0), static_cast<std::ptrdiff_t>(size));
      std::memset(block, 0xff, size);
      blocks.push_back(block);
    }
  }
  return blocks;
}

TEST(HeapTest, RunsThatLeaveNothingFindTheSameAddressesAndZeroesThere) {
  HotForTests();
  Heap::ResetForRun();
  Heap::ResetForRun();
  const std::vector<void*> first = AllocateARunsBlocks();
  EXPECT_FALSE(Heap::TakesBackRetired());
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (i % 2 == 0) {
      Heap::Free(first[i]);
    } else {
      Heap::Retire(Heap::Find(Address(first[i])));
    }
  }
  EXPECT_TRUE(Heap::TakesBackRetired());
  EXPECT_TRUE(Heap::ResetForRun());
  EXPECT_EQ(Heap::Find(Address(first[1])).block->nth, 0u);
  EXPECT_EQ(AllocateARunsBlocks(), first);
  EXPECT_FALSE(Heap::ResetForRun());

  const std::vector<void*> third = AllocateARunsBlocks();
  for (void* block : third) EXPECT_EQ(std::count(first.begin(), first.end(), block), 0);
  EXPECT_FALSE(Heap::ResetForRun());
}

TEST(HeapTest, RetiredBlocksThatAreLargeOrOlderThanTheRunMustBeFreed) {
  HotForTests();
  Heap::ResetForRun();
  void* const older = Allocate(64);
  Heap::ResetForRun();
  void* const large = Allocate(1 << 20);
  Heap::Retire(Heap::Find(Address(large)));
  EXPECT_FALSE(Heap::TakesBackRetired());
  Heap::Free(large);
  Heap::ResetForRun();
  Heap::Retire(Heap::Find(Address(older)));
  EXPECT_FALSE(Heap::TakesBackRetired());
  Heap::Free(older);
  EXPECT_TRUE(Heap::ResetForRun());
}

TEST(HeapTest, RefusesWhatCanNeverFit) { EXPECT_EQ(Allocate(std::size_t{1} << 50), nullptr); }

}  // namespace
}  // namespace heddle
