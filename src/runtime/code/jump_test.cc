#include "runtime/code/jump.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

constexpr std::uint64_t kAddress = 0x401000;

JumpCode Of(std::vector<std::uint8_t> bytes) {
  const std::size_t length = bytes.size();
  bytes.resize(JumpCode::kMostBytes);
  JumpCode jump;
  EXPECT_TRUE(DecodeJump(bytes.data(), kAddress, &jump));
  EXPECT_EQ(jump.length, length);
  return jump;
}

TEST(JumpTest, TargetsAreCountedFromBehindTheInstruction) {
  EXPECT_EQ(Of({0xeb, 0xfe}).target, kAddress);           // jmp to itself
  EXPECT_EQ(Of({0x75, 0xf0}).target, kAddress + 2 - 16);  // jne
  EXPECT_EQ(Of({0xe9, 0x00, 0xff, 0xff, 0xff}).target, kAddress + 5 - 256);
  EXPECT_EQ(Of({0x0f, 0x84, 0xfa, 0xff, 0xff, 0xff}).target, kAddress);  // je to itself
}

TEST(JumpTest, WhatIsNoJumpWithATargetOfItsOwnIsRefused) {
  const std::vector<std::vector<std::uint8_t>> others = {{0x90, 0, 0, 0, 0, 0},
                                                         {0xff, 0xe0, 0, 0, 0, 0},
                                                         {0xe8, 0, 0, 0, 0, 0},
                                                         {0x0f, 0x0b, 0, 0, 0, 0}};
  for (const std::vector<std::uint8_t>& bytes : others) {
    JumpCode jump;
    EXPECT_FALSE(DecodeJump(bytes.data(), kAddress, &jump)) << int{bytes[0]};
  }
}

// What the processor does, asked of it: the flags of every comparison of two small numbers, and
// what each condition makes of them.
TEST(JumpTest, ConditionsHoldAsTheProcessorSaysTheyDo) {
  for (int left = -3; left <= 3; ++left) {
    for (const int right : {-2, 0, 2, -0x7fffffff - 1, 0x7fffffff}) {
      std::uint64_t flags;
      std::uint8_t holds[16];
      asm("cmpl %[right], %[left]\n pushfq\n pop %[flags]\n"
          "seto 0(%[holds])\n setno 1(%[holds])\n setb 2(%[holds])\n setae 3(%[holds])\n"
          "sete 4(%[holds])\n setne 5(%[holds])\n setbe 6(%[holds])\n seta 7(%[holds])\n"
          "sets 8(%[holds])\n setns 9(%[holds])\n setp 10(%[holds])\n setnp 11(%[holds])\n"
          "setl 12(%[holds])\n setge 13(%[holds])\n setle 14(%[holds])\n setg 15(%[holds])\n"
          : [flags] "=&r"(flags)
          : [left] "r"(left), [right] "r"(right), [holds] "r"(holds)
          : "cc", "memory");
      for (std::uint8_t condition = 0; condition < 16; ++condition) {
        const JumpCode jump = Of({static_cast<std::uint8_t>(0x70 | condition), 0xf0});
        EXPECT_EQ(jump.IsTaken(flags), holds[condition] != 0)
            << "condition " << int{condition} << " of " << left << " and " << right;
      }
    }
  }
  EXPECT_TRUE(Of({0xeb, 0xf0}).IsTaken(0));
}

}  // namespace
}  // namespace heddle
