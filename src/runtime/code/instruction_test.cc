#include "runtime/code/instruction.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

Instruction Of(std::vector<std::uint8_t> bytes) {
  Instruction instruction;
  EXPECT_TRUE(Decode(bytes.data(), bytes.data() + bytes.size(), &instruction));
  EXPECT_EQ(instruction.length, bytes.size());
  return instruction;
}

constexpr unsigned Bit(unsigned number) { return 1u << number; }

TEST(InstructionTest, AMoveOverwritesARegisterAndReadsTheOther) {
  const Instruction done = Of({0x48, 0x89, 0xc3});  // mov %rax,%rbx

  EXPECT_EQ(done.reads, Bit(0));
  EXPECT_EQ(done.writes, Bit(kRbx));
}

TEST(InstructionTest, AShortMoveLeavesTheRestOfTheRegister) {
  EXPECT_EQ(Of({0x88, 0xc3}).writes, 0);        // mov %al,%bl
  EXPECT_EQ(Of({0x66, 0x89, 0xc3}).writes, 0);  // mov %ax,%bx
}

TEST(InstructionTest, AStoreIntoTheFrameOverwritesItsBytes) {
  const Instruction done = Of({0xc7, 0x45, 0xfc, 0, 0, 0, 0});  // movl $0,-4(%rbp)

  EXPECT_EQ(done.base, kRbp);
  EXPECT_EQ(done.displacement, -4);
  EXPECT_EQ(done.size, 4u);
  EXPECT_TRUE(done.only_writes);
}

TEST(InstructionTest, AComparisonReadsWhatItComparesWith) {
  const Instruction done = Of({0x83, 0x7c, 0x24, 0x1c, 0x03});  // cmpl $3,0x1c(%rsp)

  EXPECT_EQ(done.base, kRsp);
  EXPECT_EQ(done.displacement, 0x1c);
  EXPECT_FALSE(done.only_writes);
}

TEST(InstructionTest, ThreadLocalsAreNotOnTheStack) {
  EXPECT_EQ(Of({0x64, 0x48, 0x8b, 0x45, 0x00}).base, kNoRegister);  // mov %fs:0(%rbp),%rax
}

TEST(InstructionTest, ARegisterThatIsXoredWithItselfIsNotRead) {
  const Instruction done = Of({0x45, 0x31, 0xe4});  // xor %r12d,%r12d

  EXPECT_EQ(done.reads, 0);
  EXPECT_EQ(done.writes, Bit(kR12));
}

TEST(InstructionTest, TheStackPointerIsFollowed) {
  EXPECT_EQ(Of({0x53}).moves, -8);                                              // push %rbx
  EXPECT_EQ(Of({0x41, 0x5c}).moves, 8);                                         // pop %r12
  EXPECT_EQ(Of({0x48, 0x83, 0xec, 0x10}).moves, -16);                           // sub $16,%rsp
  EXPECT_EQ(Of({0x48, 0x81, 0xc4, 0x00, 0x01, 0x00, 0x00}).moves, 256);         // add $256,%rsp
  EXPECT_TRUE(Of({0x48, 0x89, 0xe5}).sets_frame);                               // mov %rsp,%rbp
  EXPECT_EQ(Of({0xc9}).stack, Instruction::Stack::kFromFrame);                  // leave
  EXPECT_EQ(Of({0x48, 0x83, 0xe4, 0xf0}).stack, Instruction::Stack::kUnknown);  // and $-16,%rsp
}

TEST(InstructionTest, AnAddressInTheFrameIsTold) {
  EXPECT_TRUE(Of({0x48, 0x8d, 0x45, 0xf0}).only_address);  // lea -16(%rbp),%rax
  EXPECT_TRUE(Of({0x48, 0x89, 0xe7}).only_address);        // mov %rsp,%rdi
  EXPECT_TRUE(Of({0x8b, 0x44, 0x8c, 0x10}).has_index);     // mov 0x10(%rsp,%rcx,4),%eax
}

TEST(InstructionTest, JumpsSayWhereTheyGo) {
  const std::vector<std::uint8_t> near = {0x0f, 0x84, 0x10, 0x00, 0x00, 0x00};  // je
  Instruction done;
  ASSERT_TRUE(Decode(near.data(), near.data() + near.size(), &done));
  EXPECT_EQ(done.flow, Instruction::Flow::kBranch);
  EXPECT_EQ(done.target, reinterpret_cast<std::uint64_t>(near.data()) + 6 + 0x10);

  const std::vector<std::uint8_t> back = {0xeb, 0xfe};  // jmp to itself
  ASSERT_TRUE(Decode(back.data(), back.data() + back.size(), &done));
  EXPECT_EQ(done.flow, Instruction::Flow::kJump);
  EXPECT_EQ(done.target, reinterpret_cast<std::uint64_t>(back.data()));

  EXPECT_EQ(Of({0xff, 0xe0}).flow, Instruction::Flow::kUnknown);  // jmp *%rax
  EXPECT_EQ(Of({0xff, 0xd3}).reads, Bit(kRbx));                   // call *%rbx
  EXPECT_EQ(Of({0x0f, 0x0b}).flow, Instruction::Flow::kStop);     // ud2
}

TEST(InstructionTest, WhatIsNotKnownOrCutOffIsRefused) {
  const std::vector<std::uint8_t> evex = {0x62, 0xf1, 0x7c, 0x48, 0x10, 0x00};
  const std::vector<std::uint8_t> half = {0x48, 0x81, 0xc4, 0x00};
  Instruction done;

  EXPECT_FALSE(Decode(evex.data(), evex.data() + evex.size(), &done));
  EXPECT_FALSE(Decode(half.data(), half.data() + half.size(), &done));
}

}  // namespace
}  // namespace heddle
