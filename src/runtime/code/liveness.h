// What a function may still read of its registers and its stack frame, told by its machine code.
//
// Two states of a thread that differ only in what is overwritten before it is read are the same
// state: everything it will ever do is the same. Compilers leave such rubbish everywhere, above all
// when they do not optimise.
//
// The whole function is looked at, from its first instruction on, with every way out of every
// branch and every exception handler. It errs on the side of reading:
// - whatever is not understood makes all of it read (FrameLife::is_known);
// - so does a jump to a computed place that is not by a switch's table;
// - a function that takes the address of anything in its frame may be read there by anybody, so its
//   frame is read as a whole.
// What a function hands over on the stack to one that it calls may be changed by that one: it is
// written anew for each call, so a call reads nothing that was there before. What longjmp goes back
// to is not followed: a local variable that was written since setjmp has no certain value there,
// unless it is volatile.
#ifndef HEDDLE_RUNTIME_CODE_LIVENESS_H_
#define HEDDLE_RUNTIME_CODE_LIVENESS_H_

#include <bitset>
#include <cstdint>

namespace heddle {

// What is read behind one return address.
struct FrameLife {
  static constexpr std::uint32_t kMostBytes = 2048;

  bool is_known = false;         // otherwise all of it is read
  bool reads_arguments = false;  // that lie in its caller's frame
  std::uint16_t registers = 0;   // of those that a call preserves, one bit each, by number
  std::uint32_t size = 0;        // of the frame: from the stack pointer to the return address' end
  std::bitset<kMostBytes>
      bytes;  // counted from the frame's upper end: the return address is 0 to 7

  bool Reads(std::uint64_t byte_below_end) const {
    return !is_known || byte_below_end >= kMostBytes || bytes[byte_below_end];
  }
};

// `pc` is a return address. The answer is kept, so it stays the same.
const FrameLife& LifeBehind(std::uint64_t pc);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_CODE_LIVENESS_H_
