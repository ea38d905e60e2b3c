// Where the engine puts things: fixed addresses far from anything the kernel or the linker uses, so
// that heap addresses, stacks and pthread_t values are the same in every process even with ASLR on.
#ifndef HEDDLE_RUNTIME_MEMORY_LAYOUT_H_
#define HEDDLE_RUNTIME_MEMORY_LAYOUT_H_

#include <cstdint>

#include "base/raw_syscall.h"

namespace heddle {

inline constexpr std::uint64_t kArenaBase = 0x1000'0000'0000;
inline constexpr std::uint64_t kArenaSize = std::uint64_t{1} << 38;
inline constexpr std::uint64_t kShadowBase = 0x1800'0000'0000;  // see runtime/hooks/abi.h
inline constexpr std::uint64_t kShadowSize = std::uint64_t{1} << 43;
inline constexpr std::uint64_t kHeapBase = 0x2100'0000'0000;
inline constexpr std::uint64_t kHeapSize = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kStacksBase = 0x2300'0000'0000;
inline constexpr std::uint64_t kStacksSize = std::uint64_t{1} << 40;

struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;

  std::uint64_t end() const { return begin + size; }
  bool Has(std::uint64_t address) const { return address - begin < size; }
};

// Reserves without committing; ends the process when the range is taken or the system refuses.
void* ReserveAt(std::uint64_t address, std::uint64_t size);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_MEMORY_LAYOUT_H_
