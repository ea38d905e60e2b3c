#include "runtime/code/liveness.h"

#include <gtest/gtest.h>

#include "runtime/code/instruction.h"

// Functions that are only read, never called: each has one call, behind which the question is
// asked.
asm(R"(
  .text
  .macro begin name
  .globl \name
  .type \name, @function
\name:
  .cfi_startproc
  .endm
  .macro end name
  .cfi_endproc
  .size \name, .-\name
  .endm

  begin heddle_test_frame     # a loop that writes -4 before it reads it, and reads -8
  push %rbp
  mov %rsp,%rbp
  sub $32,%rsp
1:
  movl $0,-4(%rbp)
  call heddle_test_frame
heddle_test_frame_back: .globl heddle_test_frame_back
  cmpl $0,-8(%rbp)
  jne 1b
  mov -4(%rbp),%eax
  leave
  ret
  end heddle_test_frame

  begin heddle_test_exit      # -4 is read only when the loop is left
  push %rbp
  mov %rsp,%rbp
  sub $32,%rsp
1:
  call heddle_test_exit
heddle_test_exit_back: .globl heddle_test_exit_back
  test %eax,%eax
  je 2f
  movl $1,-4(%rbp)
  jmp 1b
2:
  mov -4(%rbp),%eax
  leave
  ret
  end heddle_test_exit

  begin heddle_test_registers # rbx is overwritten, r12 is read, r13 is the caller's
  push %rbx
  push %r12
  sub $8,%rsp
1:
  call heddle_test_registers
heddle_test_registers_back: .globl heddle_test_registers_back
  mov %eax,%ebx
  add %r12d,%ebx
  test %ebx,%ebx
  jne 1b
  add $8,%rsp
  pop %r12
  pop %rbx
  ret
  end heddle_test_registers

  begin heddle_test_address   # somebody else has a pointer into the frame
  sub $24,%rsp
  lea 8(%rsp),%rdi
1:
  call heddle_test_address
heddle_test_address_back: .globl heddle_test_address_back
  test %eax,%eax
  jne 1b
  add $24,%rsp
  ret
  end heddle_test_address

  begin heddle_test_argument  # an argument on the caller's stack
  sub $8,%rsp
1:
  call heddle_test_argument
heddle_test_argument_back: .globl heddle_test_argument_back
  cmp %eax,16(%rsp)
  jne 1b
  add $8,%rsp
  ret
  end heddle_test_argument

  begin heddle_test_switch    # only the case that is not the first reads r12; none reads rbx
  push %rbx
  push %r12
  sub $8,%rsp
  call heddle_test_switch
heddle_test_switch_back: .globl heddle_test_switch_back
  cmp $1,%eax
  ja 3f
  mov %eax,%eax
  lea 9f(%rip),%rdx
  movslq (%rdx,%rax,4),%rax
  add %rdx,%rax
  jmp *%rax
1:
  xor %r12d,%r12d
  jmp 3f
2:
  mov %r12,%rax
3:
  add $8,%rsp
  pop %r12
  pop %rbx
  ret
  end heddle_test_switch
  .section .rodata
  .align 4
9:
  .long 1b - 9b
  .long 2b - 9b
  .text

  begin heddle_test_terminate # what it calls does not return
  sub $24,%rsp
  call heddle_test_terminate
heddle_test_terminate_back: .globl heddle_test_terminate_back
  test %eax,%eax
  je 1f
  call heddle_test_never
  mov 8(%rsp),%rbx
1:
  add $24,%rsp
  ret
  end heddle_test_terminate

  begin heddle_test_never
  push %rax
  call heddle_test_never
  end heddle_test_never

  begin heddle_test_table     # a jump to somewhere
  sub $8,%rsp
  call heddle_test_table
heddle_test_table_back: .globl heddle_test_table_back
  add $8,%rsp
  jmp *%rax
  end heddle_test_table
)");

extern "C" {
extern const char heddle_test_frame_back, heddle_test_exit_back, heddle_test_registers_back,
    heddle_test_address_back, heddle_test_argument_back, heddle_test_table_back,
    heddle_test_switch_back, heddle_test_terminate_back;
}

namespace heddle {
namespace {

const FrameLife& Behind(const char& place) {
  return LifeBehind(reinterpret_cast<std::uint64_t>(&place));
}

// Of a function with a frame pointer: the return address and the caller's rbp lie above.
constexpr std::uint64_t BelowFramePointer(std::uint64_t bytes) { return 16 + bytes - 1; }

TEST(LivenessTest, WhatIsOverwrittenFirstIsNotRead) {
  const FrameLife& life = Behind(heddle_test_frame_back);

  ASSERT_TRUE(life.is_known);
  EXPECT_EQ(life.size, 48u);
  // It is read when the loop ends at once.
  for (std::uint64_t byte = 1; byte <= 8; ++byte) {
    EXPECT_TRUE(life.Reads(BelowFramePointer(byte))) << byte;
  }
  for (std::uint64_t byte = 9; byte <= 32; ++byte) {
    EXPECT_FALSE(life.Reads(BelowFramePointer(byte))) << byte;
  }
  for (std::uint64_t byte = 0; byte < 16; ++byte) EXPECT_TRUE(life.Reads(byte)) << byte;
  EXPECT_FALSE(life.reads_arguments);
}

TEST(LivenessTest, WhatALoopLeavesBehindForItsEndIsRead) {
  const FrameLife& life = Behind(heddle_test_exit_back);

  ASSERT_TRUE(life.is_known);
  EXPECT_TRUE(life.Reads(BelowFramePointer(4)));
  EXPECT_FALSE(life.Reads(BelowFramePointer(5)));
}

TEST(LivenessTest, RegistersThatAreOverwrittenFirstAreNotRead) {
  const FrameLife& life = Behind(heddle_test_registers_back);

  ASSERT_TRUE(life.is_known);
  EXPECT_FALSE(life.registers >> kRbx & 1);
  EXPECT_TRUE(life.registers >> kR12 & 1);
  EXPECT_TRUE(life.registers >> 13 & 1);
  EXPECT_TRUE(life.registers >> kRbp & 1);
  // What was saved of the caller's is read when it is given back.
  EXPECT_EQ(life.size, 32u);
  for (std::uint64_t byte = 0; byte < 24; ++byte) EXPECT_TRUE(life.Reads(byte)) << byte;
  EXPECT_FALSE(life.Reads(24));
}

TEST(LivenessTest, AFrameWhoseAddressIsKnownIsReadAsAWhole) {
  const FrameLife& life = Behind(heddle_test_address_back);

  ASSERT_TRUE(life.is_known);
  for (std::uint64_t byte = 0; byte < life.size; ++byte) EXPECT_TRUE(life.Reads(byte)) << byte;
}

TEST(LivenessTest, ArgumentsInTheCallersFrameAreTold) {
  EXPECT_TRUE(Behind(heddle_test_argument_back).reads_arguments);
}

TEST(LivenessTest, ASwitchGoesToItsCasesOnly) {
  const FrameLife& life = Behind(heddle_test_switch_back);

  ASSERT_TRUE(life.is_known);
  EXPECT_TRUE(life.registers >> kR12 & 1);
  EXPECT_FALSE(life.registers >> kRbx & 1);
}

TEST(LivenessTest, NothingIsReadBehindACallThatDoesNotReturn) {
  const FrameLife& life = Behind(heddle_test_terminate_back);

  ASSERT_TRUE(life.is_known);
  for (std::uint64_t byte = 8; byte < life.size; ++byte) EXPECT_FALSE(life.Reads(byte)) << byte;
}

TEST(LivenessTest, AJumpToSomewhereMayReadEverything) {
  const FrameLife& life = Behind(heddle_test_table_back);

  EXPECT_FALSE(life.is_known);
  EXPECT_TRUE(life.Reads(100));
}

TEST(LivenessTest, CodeWithoutTablesMayReadEverything) {
  static const char nothing[16] = {};

  EXPECT_FALSE(Behind(nothing[8]).is_known);
}

}  // namespace
}  // namespace heddle
