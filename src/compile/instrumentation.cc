#include "compile/instrumentation.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "compile/hook_calls.h"
#include "compile/unsanitized_text.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

// Closes what it opened.
class DebugFile {
 public:
  explicit DebugFile(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    if (descriptor_ >= 0) elf_ = elf_begin(descriptor_, ELF_C_READ, nullptr);
    if (elf_ != nullptr && elf_kind(elf_) == ELF_K_ELF) {
      dwarf_ = dwarf_begin_elf(elf_, DWARF_C_READ, nullptr);
    }
  }
  DebugFile(const DebugFile&) = delete;
  DebugFile& operator=(const DebugFile&) = delete;
  ~DebugFile() {
    dwarf_end(dwarf_);
    elf_end(elf_);
    if (descriptor_ >= 0) close(descriptor_);
  }

  bool is_elf() const { return elf_ != nullptr && elf_kind(elf_) == ELF_K_ELF; }
  Elf* elf() const { return elf_; }
  Dwarf* dwarf() const { return dwarf_; }  // null: no debug information

 private:
  int descriptor_;
  Elf* elf_ = nullptr;
  Dwarf* dwarf_ = nullptr;
};

struct Function {
  std::string name;
  std::string file;
  int line = 0;
};

struct Unit {
  std::string source;
  bool has_code = false;
  bool is_instrumented = false;
  bool is_ours = false;         // defines the hooks
  std::vector<Function> plain;  // functions without hooks
};

std::string AbsoluteName(Dwarf_Die* unit, const char* name) {
  if (name == nullptr) return {};
  Dwarf_Attribute attribute;
  const char* const directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  fs::path path = name;
  if (path.is_relative() && directory != nullptr) path = fs::path(directory) / path;
  return path.lexically_normal();
}

// A unit may have nothing to report, yet be instrumented.
bool WasCompiledForIt(Dwarf_Die* unit) {
  Dwarf_Attribute attribute;
  const char* const producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
  return producer != nullptr && std::strstr(producer, "-fsanitize=thread") != nullptr;
}

struct Scan {
  const HookCalls* hooks;
  Dwarf_Die* die;
  Unit* unit;
};

int VisitFunction(Dwarf_Die* function, void* argument) {
  const Scan& scan = *static_cast<Scan*>(argument);
  bool calls_hooks = false;
  bool has_code = false;
  Dwarf_Addr base;
  Dwarf_Addr begin;
  Dwarf_Addr end;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, &begin, &end)) > 0;) {
    if (begin == end) continue;
    has_code = true;
    calls_hooks = calls_hooks || scan.hooks->IsInstrumented(begin, end);
    scan.unit->is_ours = scan.unit->is_ours || scan.hooks->IsHook(begin, end);
  }
  if (!has_code) return DWARF_CB_OK;
  scan.unit->has_code = true;
  if (calls_hooks) {
    scan.unit->is_instrumented = true;
    return DWARF_CB_OK;
  }
  Dwarf_Attribute attribute;
  const char* const name = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_name, &attribute));
  if (name == nullptr) return DWARF_CB_OK;
  int line = 0;
  dwarf_decl_line(function, &line);
  // libdw takes clang's file 0, the unit's own source, for none.
  const char* const file = dwarf_decl_file(function);
  scan.unit->plain.push_back(
      {name, file == nullptr ? scan.unit->source : AbsoluteName(scan.die, file), line});
  return DWARF_CB_OK;
}

bool IsSystemFile(const std::string& path) {
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/");
}

// The sources of a program. Debug information names the files that hold code; headers that hold
// only macros are found through the #include lines, near the including file or near any other
// source.
class Sources {
 public:
  void Add(const std::string& path) {
    if (path.empty() || IsSystemFile(path) || !seen_.insert(path).second) return;
    std::ifstream file(path);
    if (!file) return;
    std::ostringstream content;
    content << file.rdbuf();
    text_.AddFile(content.view());
    folders_.insert(fs::path(path).parent_path());
    NoteIncludes(path, content.str());
  }

  UnsanitizedText& TextWithIncludes() {
    while (!includes_.empty()) {
      const Include include = includes_.back();
      includes_.pop_back();
      Find(include);
    }
    return text_;
  }

 private:
  struct Include {
    fs::path folder;  // of the file that includes
    std::string name;
  };

  void NoteIncludes(const fs::path& path, const std::string& text) {
    static const std::regex kInclude(R"(^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">])",
                                     std::regex::ECMAScript | std::regex::multiline);
    for (std::sregex_iterator at(text.begin(), text.end(), kInclude), end; at != end; ++at) {
      includes_.push_back({path.parent_path(), (*at)[1]});
    }
  }

  void Find(const Include& include) {
    if (AddIfThere(include.folder / include.name)) return;
    // An include folder of the project is usually a source's folder or one above it.
    constexpr int kHighest = 3;
    for (const fs::path& folder : std::set<fs::path>(folders_)) {
      fs::path root = folder;
      for (int i = 0; i < kHighest; ++i, root = root.parent_path()) {
        if (AddIfThere(root / include.name) || AddIfThere(root / "include" / include.name)) return;
      }
    }
  }

  bool AddIfThere(const fs::path& path) {
    std::error_code failure;
    if (!fs::is_regular_file(path, failure)) return false;
    Add(path.lexically_normal());
    return true;
  }

  UnsanitizedText text_;
  std::set<std::string> seen_;
  std::set<fs::path> folders_;
  std::vector<Include> includes_;
};

}  // namespace

bool CallsHooks(const std::string& path) {
  const DebugFile file(path);
  return file.is_elf() && HookCalls(file.elf()).AreUsed();
}

bool MakesSystemCalls(const std::string& path) {
  const DebugFile file(path);
  if (!file.is_elf()) return false;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(file.elf(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNSYM) continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) continue;
    for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
      const char* const name = elf_strptr(file.elf(), header.sh_link, symbol.st_name);
      if (symbol.st_shndx == SHN_UNDEF && name != nullptr && std::string_view(name) == "syscall") {
        return true;
      }
    }
  }
  return false;
}

Result<Instrumentation> DescribeInstrumentation(const std::string& path) {
  const DebugFile file(path);
  if (!file.is_elf()) return Error{fmt::format("{} is not a program", path)};
  Instrumentation result;
  if (file.dwarf() == nullptr) return result;

  const HookCalls hooks(file.elf());
  Sources sources;
  std::vector<Unit> units;
  Dwarf_CU* cu = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(file.dwarf(), cu, &cu, nullptr, nullptr, &die, nullptr) == 0) {
    if (dwarf_tag(&die) != DW_TAG_compile_unit) continue;
    Unit unit;
    unit.source = AbsoluteName(&die, dwarf_diename(&die));
    unit.is_instrumented = WasCompiledForIt(&die);
    Scan scan = {&hooks, &die, &unit};
    dwarf_getfuncs(&die, VisitFunction, &scan, 0);
    if (unit.is_ours || !unit.has_code) continue;
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    if (unit.is_instrumented && dwarf_getsrcfiles(&die, &files, &count) == 0) {
      for (std::size_t i = 0; i < count; ++i) {
        sources.Add(AbsoluteName(&die, dwarf_filesrc(files, i, nullptr, nullptr)));
      }
    }
    units.push_back(std::move(unit));
  }

  UnsanitizedText& text = sources.TextWithIncludes();
  for (const Unit& unit : units) {
    if (!unit.is_instrumented) {
      result.plain_units.push_back(unit.source);
      continue;
    }
    ++result.instrumented_units;
    for (const Function& function : unit.plain) {
      if (!text.Marks(function.name)) continue;
      result.unseen_functions.push_back({function.name, function.file, function.line});
    }
  }
  std::ranges::sort(result.plain_units);
  std::ranges::sort(result.unseen_functions);
  std::vector<UnseenFunction>& unseen = result.unseen_functions;
  unseen.erase(std::unique(unseen.begin(), unseen.end()), unseen.end());
  return result;
}

}  // namespace heddle
