#include "symbols/code_finder.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fnmatch.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "symbols/dwarf_module.h"
#include "symbols/line_finder.h"
#include "symbols/names.h"
#include "symbols/symbolizer.h"

namespace heddle {
namespace {

// Separate debug files beside the program or in the system's folder; never a server.
constexpr Dwfl_Callbacks kCallbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

struct DwflCloser {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

// One file, at an address of its own.
struct OpenModule {
  std::unique_ptr<Dwfl, DwflCloser> dwfl;
  Dwfl_Module* module = nullptr;
};

OpenModule Open(const char* path, std::uint64_t base) {
  OpenModule open;
  open.dwfl.reset(dwfl_begin(&kCallbacks));
  dwfl_report_begin(open.dwfl.get());
  open.module = dwfl_report_elf(open.dwfl.get(), path, path, -1, base, /*add_p_vaddr=*/true);
  dwfl_report_end(open.dwfl.get(), nullptr, nullptr);
  return open;
}

bool Matches(const std::string& text, const std::string& pattern) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// "Queue<int>::Push(int)" -> "Queue::Push".
std::string WithoutArguments(const std::string& name) {
  std::string plain;
  int depth = 0;
  for (const char c : name) {
    if (c == '(' && depth == 0) break;
    if (c == '<') ++depth;
    if (depth == 0) plain += c;
    if (c == '>') --depth;
  }
  return plain;
}

bool IsFunction(const std::string& name, const std::string& wanted) {
  for (const std::string& form : {name, WithoutArguments(name)}) {
    if (Matches(form, wanted) || Matches(form, "*::" + wanted)) return true;
  }
  return false;
}

bool IsFile(const std::string& path, const std::string& wanted) {
  return Matches(path, wanted) || Matches(path, "*/" + wanted);
}

std::string FileOf(const UnitCode& unit, const FunctionCode& function) {
  Dwarf_Die die = function.die;
  Dwarf_Attribute attribute;
  // Inlined and out-of-line copies leave it to the abstract function.
  Dwarf_Word index = 0;
  if (dwarf_attr_integrate(&die, DW_AT_decl_file, &attribute) != nullptr &&
      dwarf_formudata(&attribute, &index) == 0) {
    Dwarf_Die cu;
    Dwarf_Files* files = nullptr;
    if (dwarf_diecu(&die, &cu, nullptr, nullptr) != nullptr &&
        dwarf_getsrcfiles(&cu, &files, nullptr) == 0) {
      const char* const file = dwarf_filesrc(files, index, nullptr, nullptr);
      if (file != nullptr) return AbsolutePath(&cu, file);
    }
  }
  const LineCode* const line =
      function.ranges.empty() ? nullptr : unit.LineAt(function.ranges[0].begin);
  return line == nullptr ? "" : *line->file;
}

void AddMatches(const UnitCode& unit, const FunctionCode& function, const std::string& name,
                std::vector<AddressRange>* ranges) {
  if (IsFunction(function.name(), name) || IsFile(FileOf(unit, function), name)) {
    ranges->insert(ranges->end(), function.ranges.begin(), function.ranges.end());
    return;  // what is inlined lies within
  }
  for (const FunctionCode& callee : function.inlined) AddMatches(unit, callee, name, ranges);
}

}  // namespace

std::vector<CodeRange> FindCode(std::span<const ModuleRecord> modules, const std::string& name) {
  std::vector<CodeRange> code;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const ModuleRecord& module = modules[i];
    const auto index = static_cast<std::uint32_t>(i);
    if (Matches(ModuleName(modules, i), name) || IsFile(module.path, name)) {
      code.push_back({index, static_cast<std::uint32_t>(module.begin - module.base),
                      static_cast<std::uint32_t>(module.end - module.base)});
      continue;
    }
    // Large, and nobody means them.
    if (i > 0 && IsSystemModule(module.path)) continue;
    const OpenModule open = Open(module.path, module.base);
    if (open.module == nullptr) continue;
    DwarfModule dwarf(open.module);
    std::vector<AddressRange> ranges;
    for (const UnitCode* unit : dwarf.AllUnits()) {
      for (const FunctionCode& function : unit->functions) {
        AddMatches(*unit, function, name, &ranges);
      }
    }
    const std::uint64_t shift = dwarf.bias() - module.base;
    for (const AddressRange& range : Joined(std::move(ranges))) {
      code.push_back({index, static_cast<std::uint32_t>(range.begin + shift),
                      static_cast<std::uint32_t>(range.end + shift)});
    }
  }
  return code;
}

std::optional<std::uint64_t> FindEntry(const std::string& program, const std::string& function) {
  const OpenModule open = Open(program.c_str(), 0);
  if (open.module == nullptr) return std::nullopt;
  const int count = dwfl_module_getsymtab(open.module);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    const char* const name =
        dwfl_module_getsym_info(open.module, i, &symbol, &address, nullptr, nullptr, nullptr);
    if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0) continue;
    if (function == name || IsFunction(ShortName(Demangle(name)), function)) return symbol.st_value;
  }
  return std::nullopt;
}

}  // namespace heddle
