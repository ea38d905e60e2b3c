// One x86-64 instruction, as far as it says what is still read of registers and stack.
//
// Made for the code that g++ and clang++ write. What it is told too little about errs on the side
// of reading: a register that is named is read unless the instruction is known to do nothing but
// overwrite it, and likewise memory. Whatever is not known at all is refused.
#ifndef HEDDLE_RUNTIME_CODE_INSTRUCTION_H_
#define HEDDLE_RUNTIME_CODE_INSTRUCTION_H_

#include <cstdint>

namespace heddle {

// By their numbers in machine code.
enum Register : std::uint8_t {
  kRbx = 3,
  kRsp = 4,
  kRbp = 5,
  kR12 = 12,
  kNoRegister = 255
};

struct Instruction {
  enum class Flow : std::uint8_t {
    kNext,    // and nowhere else
    kJump,    // to `target`
    kBranch,  // to `target` or on
    kCall,
    kReturn,
    kStop,     // the program ends here
    kUnknown,  // a jump to somewhere
  };
  // What becomes of the stack pointer.
  enum class Stack : std::uint8_t {
    kSame,
    kMoves,      // by `moves` bytes
    kToFrame,    // to what rbp holds, `moves` bytes further
    kFromFrame,  // leave: as kToFrame, and rbp is popped
    kUnknown,
  };

  Flow flow = Flow::kNext;
  Stack stack = Stack::kSame;
  std::uint8_t length = 0;
  std::uint64_t target = 0;  // of a lea relative to the instruction: that address
  std::int32_t moves = 0;

  // What leads to a jump by a table.
  bool is_if_above = false;  // a branch taken if the left side was the larger one
  bool compares = false;     // with `constant`, by subtracting it
  std::int32_t constant = 0;

  // Registers as operands, one bit each; not those of an address.
  std::uint16_t reads = 0;
  std::uint16_t writes = 0;  // overwritten as a whole, and not read
  bool sets_frame = false;   // mov rbp, rsp

  // Its operand in memory.
  std::uint8_t base = kNoRegister;  // with kNoRegister: not on this stack, or none
  bool has_memory = false;
  bool has_index = false;
  bool only_address = false;  // lea
  bool only_writes = false;   // exactly `size` bytes
  std::int32_t displacement = 0;
  std::uint32_t size = 0;  // bytes that are read at most
  std::uint16_t address_reads = 0;
};

// The instruction at `code`, which runs at that address itself. False: not known, or it does not
// end before `end`.
bool Decode(const std::uint8_t* code, const std::uint8_t* end, Instruction* instruction);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_CODE_INSTRUCTION_H_
