#include "runtime/code/jump.h"

#include <cstring>

namespace heddle {
namespace {

constexpr std::uint8_t kShortJump = 0xeb;
constexpr std::uint8_t kJump = 0xe9;
constexpr std::uint8_t kShortConditional = 0x70;  // and the condition
constexpr std::uint8_t kTwoBytes = 0x0f;
constexpr std::uint8_t kConditional = 0x80;  // the second byte, and the condition
constexpr std::uint8_t kConditions = 0x0f;

std::int64_t Displacement(const std::uint8_t* at) {
  std::int32_t displacement;
  std::memcpy(&displacement, at, sizeof displacement);
  return displacement;
}

}  // namespace

bool DecodeJump(const std::uint8_t* code, std::uint64_t address, JumpCode* jump) {
  std::int64_t displacement = 0;
  *jump = JumpCode();
  if (code[0] == kShortJump || (code[0] & ~kConditions) == kShortConditional) {
    if (code[0] != kShortJump) jump->condition = code[0] & kConditions;
    jump->length = 2;
    displacement = static_cast<std::int8_t>(code[1]);
  } else if (code[0] == kJump) {
    jump->length = 5;
    displacement = Displacement(code + 1);
  } else if (code[0] == kTwoBytes && (code[1] & ~kConditions) == kConditional) {
    jump->condition = code[1] & kConditions;
    jump->length = 6;
    displacement = Displacement(code + 2);
  } else {
    return false;
  }
  jump->target = address + jump->length + static_cast<std::uint64_t>(displacement);
  return true;
}

bool JumpCode::IsTaken(std::uint64_t flags) const {
  const auto is_set = [flags](int bit) { return (flags >> bit & 1) != 0; };
  const bool carry = is_set(0), parity = is_set(2), zero = is_set(6), sign = is_set(7),
             overflow = is_set(11);
  if (condition == kAlways) return true;
  bool holds = false;
  switch (condition >> 1) {
    case 0:
      holds = overflow;
      break;
    case 1:
      holds = carry;
      break;
    case 2:
      holds = zero;
      break;
    case 3:
      holds = carry || zero;
      break;
    case 4:
      holds = sign;
      break;
    case 5:
      holds = parity;
      break;
    case 6:
      holds = sign != overflow;
      break;
    default:
      holds = zero || sign != overflow;
  }
  return holds != ((condition & 1) != 0);  // an odd one is the contrary
}

}  // namespace heddle
