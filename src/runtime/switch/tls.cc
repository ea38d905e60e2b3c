#include "runtime/switch/tls.h"

#include <link.h>

#include <cstring>

namespace heddle {
namespace {

// libc's thread-locals hold its per-thread caches and locale pointers, which stay valid.
bool BelongsToLibc(const char* name) {
  return std::strstr(name, "/libc.so") != nullptr || std::strstr(name, "/ld-linux") != nullptr;
}

int ResetModule(dl_phdr_info* info, std::size_t, void*) {
  if (info->dlpi_tls_data == nullptr || BelongsToLibc(info->dlpi_name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_TLS) continue;
    auto* const block = static_cast<char*>(info->dlpi_tls_data);
    std::memcpy(block, reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr),
                header.p_filesz);
    std::memset(block + header.p_filesz, 0, header.p_memsz - header.p_filesz);
  }
  return 0;
}

}  // namespace

void ResetThreadLocals() { dl_iterate_phdr(ResetModule, nullptr); }

}  // namespace heddle
