#include "runtime/memory/modules.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "base/hash.h"
#include "base/raw_syscall.h"

namespace heddle {
namespace {

struct Entry {
  std::uint64_t base, begin, end, name_hash;
  bool is_instrumented;
};

Entry entries[kMaxModules];
std::uint32_t entry_count = 0;

void ReadBuildId(const dl_phdr_info* info, const ElfW(Phdr) & note, ModuleRecord* record) {
  const char* at = reinterpret_cast<const char*>(info->dlpi_addr + note.p_vaddr);
  const char* const end = at + note.p_memsz;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    const auto* header = reinterpret_cast<const ElfW(Nhdr)*>(at);
    const char* const name = at + sizeof *header;
    const char* const payload = name + ((header->n_namesz + 3) & ~3u);
    if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 &&
        std::memcmp(name, "GNU", 4) == 0 && header->n_descsz <= sizeof record->build_id) {
      std::memcpy(record->build_id, payload, header->n_descsz);
      record->build_id_size = header->n_descsz;
      return;
    }
    at = payload + ((header->n_descsz + 3) & ~3u);
  }
}

// Whether the names that the module takes or offers are the hooks' among others.
bool NamesHooks(const dl_phdr_info* info, const ElfW(Phdr) & dynamic) {
  std::uint64_t names = 0, size = 0;
  const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + dynamic.p_vaddr);
  for (; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) names = entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRSZ) size = entry->d_un.d_val;
  }
  if (names == 0) return false;
  if (names < info->dlpi_addr) names += info->dlpi_addr;  // nobody has relocated it
  constexpr char kName[] = "__tsan_init";
  return memmem(reinterpret_cast<const void*>(names), size, kName, sizeof kName) != nullptr;
}

bool Known(std::uint64_t base, std::uint64_t begin) {
  for (std::uint32_t i = 0; i < entry_count; ++i) {
    if (entries[i].base == base && entries[i].begin == begin) return true;
  }
  return false;
}

int Add(dl_phdr_info* info, std::size_t, void* argument) {
  auto* const channel = static_cast<Channel*>(argument);
  ModuleRecord record;
  record.base = info->dlpi_addr;
  record.begin = ~std::uint64_t{0};
  bool is_instrumented = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD) {
      const std::uint64_t begin = info->dlpi_addr + header.p_vaddr;
      if (begin < record.begin) record.begin = begin;
      if (begin + header.p_memsz > record.end) record.end = begin + header.p_memsz;
    } else if (header.p_type == PT_NOTE && record.build_id_size == 0) {
      ReadBuildId(info, header, &record);
    } else if (header.p_type == PT_DYNAMIC) {
      is_instrumented = NamesHooks(info, header);
    }
  }
  if (record.end == 0 || entry_count == kMaxModules || Known(record.base, record.begin)) return 0;

  if (info->dlpi_name[0] == '\0' && entry_count == 0) {
    const long size = RawSyscall(SYS_readlink, reinterpret_cast<long>("/proc/self/exe"),
                                 reinterpret_cast<long>(record.path), sizeof record.path - 1);
    if (size > 0) record.path[size] = '\0';
  } else {
    std::strncpy(record.path, info->dlpi_name, sizeof record.path - 1);
  }
  std::string_view name = record.path;
  name.remove_prefix(name.rfind('/') + 1);
  entries[entry_count] = {record.base, record.begin, record.end, HashText(name), is_instrumented};
  if (channel != nullptr) channel->modules[entry_count] = record;
  ++entry_count;
  if (channel != nullptr) channel->module_count = entry_count;
  return 0;
}

}  // namespace

std::uint64_t Modules::nobodys_page_ = kNoPage;

void Modules::Refresh(Channel* channel) {
  nobodys_page_ = kNoPage;
  dl_iterate_phdr(Add, channel);
}

int Modules::IndexOf(std::uint64_t address) {
  static int last = 0;  // accesses come in runs from one module
  if (address - entries[last].begin < entries[last].end - entries[last].begin) return last;
  if (IsKnownToBeNobodys(address)) return -1;
  for (std::uint32_t i = 0; i < entry_count; ++i) {
    if (address - entries[i].begin < entries[i].end - entries[i].begin) {
      return last = static_cast<int>(i);
    }
  }
  nobodys_page_ = address >> 12;
  return -1;
}

SiteRef Modules::SiteOf(std::uint64_t pc) {
  const int module = IndexOf(pc);
  if (module < 0) return {kMaxModules, 0};
  return {static_cast<std::uint32_t>(module),
          static_cast<std::uint32_t>(pc - entries[module].base)};
}

bool Modules::IsInstrumented(std::uint64_t pc) {
  const int module = IndexOf(pc);
  return module >= 0 && entries[module].is_instrumented;
}

std::uint64_t Modules::AddressOf(SiteRef site) {
  return site.module < entry_count ? entries[site.module].base + site.offset : 0;
}

std::uint64_t Modules::BaseOf(int module) { return entries[module].base; }
AddressRange Modules::RangeOf(int module) {
  return {entries[module].begin, entries[module].end - entries[module].begin};
}
std::uint64_t Modules::NameHashOf(int module) { return entries[module].name_hash; }

}  // namespace heddle
