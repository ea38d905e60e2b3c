// Zeroes, without a call where there are few.
#ifndef HEDDLE_BASE_CLEAR_H_
#define HEDDLE_BASE_CLEAR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace heddle {

[[gnu::always_inline]] inline void Clear(void* data, std::size_t size) {
  constexpr std::size_t kWorthACall = 64;
  if (size > kWorthACall) {
    std::memset(data, 0, size);
    return;
  }
  auto* const bytes = static_cast<char*>(data);
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= size; at += sizeof(std::uint64_t)) {
    std::memset(bytes + at, 0, sizeof(std::uint64_t));
  }
  for (; at < size; ++at) bytes[at] = 0;
}

}  // namespace heddle

#endif  // HEDDLE_BASE_CLEAR_H_
