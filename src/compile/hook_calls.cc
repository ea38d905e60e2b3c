#include "compile/hook_calls.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace heddle {
namespace {

bool IsHookName(const char* name) {
  return name != nullptr && std::string_view(name).starts_with("__tsan_");
}

// The target of the 32-bit distance at `at`, which ends the instruction.
std::uint64_t TargetAt(std::uint64_t address, std::span<const unsigned char> bytes,
                       std::size_t at) {
  std::int32_t distance;
  std::memcpy(&distance, bytes.data() + at, sizeof distance);
  return address + at + sizeof distance + static_cast<std::uint64_t>(std::int64_t{distance});
}

constexpr unsigned char kCall = 0xe8;
constexpr unsigned char kJump = 0xe9;
constexpr unsigned char kIndirect = 0xff;
constexpr unsigned char kIndirectCall = 0x15;  // behind kIndirect: through a slot near here
constexpr unsigned char kIndirectJump = 0x25;

}  // namespace

HookCalls::HookCalls(Elf* elf) : elf_(elf) {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) ReadSymbols(section, header);
    if (header.sh_type == SHT_RELA) ReadSlots(section, header);
    if (header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_EXECINSTR) != 0) {
      const Elf_Data* const data = elf_getdata(section, nullptr);
      if (data == nullptr || data->d_buf == nullptr) continue;
      code_.push_back(
          {header.sh_addr, {static_cast<const unsigned char*>(data->d_buf), data->d_size}});
    }
  }
  for (const Code& code : code_) FindStubs(code);
}

void HookCalls::ReadSymbols(Elf_Scn* section, const GElf_Shdr& header) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) return;
    if (symbol.st_shndx == SHN_UNDEF) continue;
    if (IsHookName(elf_strptr(elf_, header.sh_link, symbol.st_name))) {
      hooks_.insert(symbol.st_value);
    }
  }
}

void HookCalls::ReadSlots(Elf_Scn* section, const GElf_Shdr& header) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  Elf_Scn* const symbols = elf_getscn(elf_, header.sh_link);
  GElf_Shdr symbols_header;
  if (data == nullptr || header.sh_entsize == 0 || symbols == nullptr ||
      gelf_getshdr(symbols, &symbols_header) == nullptr) {
    return;
  }
  Elf_Data* const symbol_data = elf_getdata(symbols, nullptr);
  for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Rela relocation;
    GElf_Sym symbol;
    if (gelf_getrela(data, static_cast<int>(i), &relocation) == nullptr) return;
    const auto index = static_cast<int>(GELF_R_SYM(relocation.r_info));
    if (index == 0 || gelf_getsym(symbol_data, index, &symbol) == nullptr) continue;
    if (IsHookName(elf_strptr(elf_, symbols_header.sh_link, symbol.st_name))) {
      slots_.insert(relocation.r_offset);
    }
  }
}

// A stub is 16 bytes with a jump through a slot in it.
void HookCalls::FindStubs(const Code& code) {
  constexpr std::uint64_t kStubSize = 16;
  if (slots_.empty()) return;
  for (std::size_t i = 0; i + 6 <= code.bytes.size(); ++i) {
    if (code.bytes[i] != kIndirect || code.bytes[i + 1] != kIndirectJump) continue;
    if (!slots_.contains(TargetAt(code.address, code.bytes, i + 2))) continue;
    stubs_.insert((code.address + i) & ~(kStubSize - 1));
  }
}

bool HookCalls::IsInstrumented(std::uint64_t begin, std::uint64_t end) const {
  for (const Code& code : code_) {
    if (begin < code.address || begin >= code.address + code.bytes.size()) continue;
    const std::size_t last = std::min<std::uint64_t>(end - code.address, code.bytes.size());
    for (std::size_t i = begin - code.address; i + 5 <= last; ++i) {
      if (code.bytes[i] == kCall || code.bytes[i] == kJump) {
        const std::uint64_t target = TargetAt(code.address, code.bytes, i + 1);
        if (hooks_.contains(target) || stubs_.contains(target)) return true;
      } else if (code.bytes[i] == kIndirect && i + 6 <= last &&
                 (code.bytes[i + 1] == kIndirectCall || code.bytes[i + 1] == kIndirectJump)) {
        if (slots_.contains(TargetAt(code.address, code.bytes, i + 2))) return true;
      }
    }
  }
  return false;
}

bool HookCalls::IsHook(std::uint64_t begin, std::uint64_t end) const {
  const auto first = hooks_.lower_bound(begin);
  return first != hooks_.end() && *first < end;
}

}  // namespace heddle
