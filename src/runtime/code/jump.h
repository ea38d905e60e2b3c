// The jumps that close loops, as compilers and people write them: near, to a place that the
// instruction itself names.
#ifndef HEDDLE_RUNTIME_CODE_JUMP_H_
#define HEDDLE_RUNTIME_CODE_JUMP_H_

#include <cstdint>

namespace heddle {

struct JumpCode {
  static constexpr std::uint8_t kAlways = 16;
  static constexpr std::uint32_t kMostBytes = 6;

  std::uint64_t target = 0;
  std::uint8_t length = 0;
  std::uint8_t condition = kAlways;  // as in machine code, 0 to 15

  bool IsTaken(std::uint64_t flags) const;
};

// What the bytes at `code` are when they run at `address`. False: no such jump. At least kMostBytes
// can be read there.
bool DecodeJump(const std::uint8_t* code, std::uint64_t address, JumpCode* jump);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_CODE_JUMP_H_
