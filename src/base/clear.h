// Zeroes, without a call where there are few.
#ifndef HEDDLE_BASE_CLEAR_H_
#define HEDDLE_BASE_CLEAR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace heddle {

[[gnu::always_inline]] inline void Clear(void* data, std::size_t size) {
  // No memset of these: where gcc believes that code runs once, it makes `rep stos` of it, which
  // takes longer than a call.
  using Sixteen [[gnu::vector_size(16), gnu::aligned(1), gnu::may_alias]] = char;
  using Eight [[gnu::aligned(1), gnu::may_alias]] = std::uint64_t;
  auto* const bytes = static_cast<char*>(data);
  auto* const end = bytes + size;
  // From both ends; what lies in the middle twice.
  if (size > 64) {
    std::memset(data, 0, size);
  } else if (size >= 16) {
    *reinterpret_cast<Sixteen*>(bytes) = Sixteen{};
    *reinterpret_cast<Sixteen*>(end - 16) = Sixteen{};
    if (size > 32) {
      *reinterpret_cast<Sixteen*>(bytes + 16) = Sixteen{};
      *reinterpret_cast<Sixteen*>(end - 32) = Sixteen{};
    }
  } else if (size >= 8) {
    *reinterpret_cast<Eight*>(bytes) = 0;
    *reinterpret_cast<Eight*>(end - 8) = 0;
  } else {
    for (std::size_t at = 0; at < size; ++at) bytes[at] = 0;
  }
}

}  // namespace heddle

#endif  // HEDDLE_BASE_CLEAR_H_
