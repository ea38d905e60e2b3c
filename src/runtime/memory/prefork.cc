#include "runtime/memory/prefork.h"

#include <link.h>
#include <sys/mman.h>

#include <cstdint>

#include "base/raw_syscall.h"

namespace heddle {
namespace {

constexpr std::uint64_t kPage = 4096;

int ProtectionOf(std::uint32_t flags) {
  return ((flags & PF_R) != 0 ? PROT_READ : 0) | ((flags & PF_X) != 0 ? PROT_EXEC : 0);
}

int MakeOnePagePrivate(dl_phdr_info* info, std::size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) != 0 || header.p_filesz == 0) continue;
    const std::uint64_t begin = (info->dlpi_addr + header.p_vaddr) & ~(kPage - 1);
    const std::uint64_t end =
        (info->dlpi_addr + header.p_vaddr + header.p_memsz + kPage - 1) & ~(kPage - 1);
    const int protection = ProtectionOf(header.p_flags);
    const auto protect = [begin, end](int value) {
      return RawSyscall(SYS_mprotect, static_cast<long>(begin), static_cast<long>(end - begin),
                        value);
    };
    if (protect(protection | PROT_WRITE) != 0) continue;
    // The same value: the page becomes a private copy of itself.
    auto* const word = reinterpret_cast<volatile std::uint64_t*>(begin);
    *word = *word;
    protect(protection);
  }
  return 0;
}

}  // namespace

void KeepFileMappingsMapped() { dl_iterate_phdr(MakeOnePagePrivate, nullptr); }

}  // namespace heddle
