// Changes the program's machine code in memory, for traps.
#ifndef HEDDLE_RUNTIME_CODE_PATCH_H_
#define HEDDLE_RUNTIME_CODE_PATCH_H_

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#include "base/raw_syscall.h"

namespace heddle {

// False: the system does not allow it, and nothing was changed. Nobody may run there meanwhile.
inline bool WriteCode(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size) {
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t first = address & ~(kPage - 1);
  const std::uint64_t end = (address + size + kPage - 1) & ~(kPage - 1);
  const auto protect = [&](int protection) {
    return RawSyscall(SYS_mprotect, static_cast<long>(first), static_cast<long>(end - first),
                      protection) == 0;
  };
  if (!protect(PROT_READ | PROT_WRITE)) return false;
  std::memcpy(reinterpret_cast<void*>(address), bytes, size);
  return protect(PROT_READ | PROT_EXEC);
}

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_CODE_PATCH_H_
