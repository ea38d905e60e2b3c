// Zeroes, without a call where there are few.
#ifndef HEDDLE_BASE_CLEAR_H_
#define HEDDLE_BASE_CLEAR_H_

#include <cstddef>
#include <cstring>

namespace heddle {

[[gnu::always_inline]] inline void Clear(void* data, std::size_t size) {
  auto* const bytes = static_cast<char*>(data);
  // From both ends; what lies in the middle twice.
  if (size > 64) {
    std::memset(data, 0, size);
  } else if (size > 32) {
    std::memset(bytes, 0, 32);
    std::memset(bytes + size - 32, 0, 32);
  } else if (size >= 16) {
    std::memset(bytes, 0, 16);
    std::memset(bytes + size - 16, 0, 16);
  } else if (size >= 8) {
    std::memset(bytes, 0, 8);
    std::memset(bytes + size - 8, 0, 8);
  } else {
    for (std::size_t at = 0; at < size; ++at) bytes[at] = 0;
  }
}

}  // namespace heddle

#endif  // HEDDLE_BASE_CLEAR_H_
