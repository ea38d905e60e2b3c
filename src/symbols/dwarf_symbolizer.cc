// Symbolizer over elfutils: libdwfl finds the files (also separate debug files), libdw reads them.
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "symbols/data_index.h"
#include "symbols/dwarf_module.h"
#include "symbols/line_finder.h"
#include "symbols/names.h"
#include "symbols/source_cache.h"
#include "symbols/symbolizer.h"

namespace heddle {
namespace {

// Local look-up only: a report must not wait for a server, nor depend on one.
int FindDebugFile(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base,
                  const char* file_name, const char* debuglink, GElf_Word crc, char** found) {
  constexpr char kServers[] = "DEBUGINFOD_URLS";
  const char* const servers = std::getenv(kServers);
  const std::string saved = servers == nullptr ? "" : servers;
  if (servers != nullptr) unsetenv(kServers);
  const int fd =
      dwfl_standard_find_debuginfo(module, data, name, base, file_name, debuglink, crc, found);
  if (servers != nullptr) setenv(kServers, saved.c_str(), 1);
  return fd;
}

constexpr Dwfl_Callbacks kCallbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = FindDebugFile,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

class DwarfSymbolizer final : public Symbolizer {
 public:
  explicit DwarfSymbolizer(std::span<const ModuleRecord> modules)
      : modules_(modules.begin(), modules.end()), loaded_(modules.size()) {
    dwfl_ = dwfl_begin(&kCallbacks);
    dwfl_report_begin(dwfl_);
    for (std::size_t i = 0; i < modules_.size(); ++i) Report(i);
    dwfl_report_end(dwfl_, nullptr, nullptr);
  }
  ~DwarfSymbolizer() override { dwfl_end(dwfl_); }
  DwarfSymbolizer(const DwarfSymbolizer&) = delete;
  DwarfSymbolizer& operator=(const DwarfSymbolizer&) = delete;

  std::span<const ModuleRecord> modules() const override { return modules_; }

  const std::vector<Frame>& FramesAt(std::uint64_t pc) override {
    auto found = frames_.find(pc);
    if (found == frames_.end()) found = frames_.emplace(pc, LookUp(pc)).first;
    return found->second;
  }

  std::string NameOfData(std::uint64_t address) override {
    const int index = ModuleAt(address);
    if (index < 0 || loaded_[index].module == nullptr) return "";
    const std::string name = DataAt(loaded_[index], address).name;
    return name.empty() ? ElfDataName(loaded_[index].module, address) : name;
  }

  bool IsFloatingPoint(std::uint64_t address) override {
    const int index = ModuleAt(address);
    return index >= 0 && loaded_[index].module != nullptr &&
           DataAt(loaded_[index], address).is_floating_point;
  }

  std::optional<std::string> SourceLine(const std::string& file, int line) override {
    return sources_.Line(file, line);
  }

  std::vector<LineMatch> FindLine(const LineQuery& query) override;

 private:
  struct Loaded {
    Dwfl_Module* module = nullptr;
    std::unique_ptr<DwarfModule> dwarf;
    std::unique_ptr<DataIndex> data;
  };

  void Report(std::size_t index) {
    const ModuleRecord& record = modules_[index];
    Dwfl_Module* module =
        dwfl_report_elf(dwfl_, record.path, record.path, -1, record.base, /*add_p_vaddr=*/true);
    if (module == nullptr || !HasBuildIdOf(module, record)) return;
    loaded_[index].module = module;
  }

  // A program that was rebuilt since must not lend its names to the old one's addresses.
  static bool HasBuildIdOf(Dwfl_Module* module, const ModuleRecord& record) {
    if (record.build_id_size == 0) return true;
    const unsigned char* bits = nullptr;
    GElf_Addr address = 0;
    const int size = dwfl_module_build_id(module, &bits, &address);
    return size <= 0 || (static_cast<std::uint32_t>(size) == record.build_id_size &&
                         std::memcmp(bits, record.build_id, record.build_id_size) == 0);
  }

  int ModuleAt(std::uint64_t address) const {
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      if (address >= modules_[i].begin && address < modules_[i].end) return static_cast<int>(i);
    }
    return -1;
  }

  static DwarfModule& DwarfOf(Loaded& loaded) {
    if (!loaded.dwarf) loaded.dwarf = std::make_unique<DwarfModule>(loaded.module);
    return *loaded.dwarf;
  }

  static DataIndex::Place DataAt(Loaded& loaded, std::uint64_t address) {
    if (!loaded.data) loaded.data = std::make_unique<DataIndex>(&DwarfOf(loaded));
    return loaded.data->At(address - DwarfOf(loaded).bias());
  }

  static std::string ElfDataName(Dwfl_Module* module, std::uint64_t address) {
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* name =
        dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name == nullptr || GELF_ST_TYPE(symbol.st_info) == STT_FUNC) return "";
    // The linker's marks (__bss_start, _edata) are places between variables.
    if (GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE && symbol.st_size == 0) return "";
    if (offset >= std::max<GElf_Xword>(1, symbol.st_size)) return "";
    const std::string text = ShortName(Demangle(name));
    return offset == 0 ? text : text + "+" + std::to_string(offset);
  }

  std::vector<Frame> LookUp(std::uint64_t pc);
  void AddSourceFrames(DwarfModule& dwarf, std::uint64_t file_address, std::vector<Frame>* frames);

  std::vector<ModuleRecord> modules_;
  std::vector<Loaded> loaded_;
  Dwfl* dwfl_ = nullptr;
  SourceCache sources_;
  std::map<std::uint64_t, std::vector<Frame>> frames_;
};

// The chain of activations at an address, outermost first.
std::vector<const FunctionCode*> ChainAt(const UnitCode& unit, std::uint64_t address) {
  std::vector<const FunctionCode*> chain;
  const FunctionCode* function = unit.FunctionAt(address);
  while (function != nullptr) {
    chain.push_back(function);
    const FunctionCode* inner = nullptr;
    for (const FunctionCode& callee : function->inlined) {
      if (callee.Contains(address)) inner = &callee;
    }
    function = inner;
  }
  return chain;
}

void DwarfSymbolizer::AddSourceFrames(DwarfModule& dwarf, std::uint64_t file_address,
                                      std::vector<Frame>* frames) {
  const UnitCode* unit = dwarf.UnitAt(file_address);
  if (unit == nullptr) return;
  Frame frame;
  if (const LineCode* line = unit->LineAt(file_address)) {
    frame.file = *line->file;
    frame.line = line->line;
    frame.column = line->column;
  }
  const std::vector<const FunctionCode*> chain = ChainAt(*unit, file_address);
  if (chain.empty() && !frame.file.empty()) frames->push_back(frame);
  for (std::size_t i = chain.size(); i-- > 0;) {
    frame.function = chain[i]->name();
    frame.is_inlined = i > 0;
    frames->push_back(frame);
    frame.file = chain[i]->call_file;
    frame.line = chain[i]->call_line;
    frame.column = chain[i]->call_column;
  }
}

std::vector<Frame> DwarfSymbolizer::LookUp(std::uint64_t pc) {
  std::vector<Frame> frames;
  const int index = ModuleAt(pc);
  if (index < 0) return {Frame()};
  const ModuleRecord& record = modules_[index];
  Loaded& loaded = loaded_[index];
  std::string symbol;
  if (loaded.module != nullptr) {
    DwarfModule& dwarf = DwarfOf(loaded);
    AddSourceFrames(dwarf, pc - dwarf.bias(), &frames);
    const char* name = dwfl_module_addrname(loaded.module, pc);
    if (name != nullptr) symbol = ShortName(Demangle(name));
  }
  if (frames.empty()) frames.emplace_back();
  if (frames.back().function.empty()) frames.back().function = symbol;
  for (Frame& frame : frames) {
    frame.module = record.path;
    frame.offset = pc - record.base;
    frame.is_system = IsSystemModule(frame.module) || IsSystemFile(frame.file) ||
                      IsSystemFunction(frame.function, !frame.file.empty());
  }
  return frames;
}

std::vector<LineMatch> DwarfSymbolizer::FindLine(const LineQuery& query) {
  std::map<std::pair<std::string, int>, LineMatch> matches;
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    if (!query.module.empty() && ModuleName(modules_, i) != query.module) continue;
    if (loaded_[i].module == nullptr) continue;
    DwarfModule& dwarf = DwarfOf(loaded_[i]);
    CodeByLine code;
    for (const UnitCode* unit : dwarf.AllUnits()) AddCodeOf(*unit, query.function, &code);
    for (auto& [place, ranges] : code) {
      const auto& [file, line] = place;
      if (query.line_hash == 0) {
        if (line != query.line_hint) continue;
      } else {
        const std::optional<std::string> text = sources_.Line(file, line);
        if (!text || LineHash(*text) != query.line_hash) continue;
      }
      LineMatch& match = matches[place];
      match.file = file;
      match.line = line;
      match.distance = std::abs(line - query.line_hint);
      for (const AddressRange& range : Joined(std::move(ranges))) {
        const std::uint64_t shift = dwarf.bias() - modules_[i].base;
        match.ranges.push_back({static_cast<std::uint32_t>(i),
                                static_cast<std::uint32_t>(range.begin + shift),
                                static_cast<std::uint32_t>(range.end + shift)});
      }
    }
  }
  std::vector<LineMatch> nearest_first;
  for (auto& [place, match] : matches) nearest_first.push_back(std::move(match));
  std::stable_sort(nearest_first.begin(), nearest_first.end(),
                   [](const LineMatch& a, const LineMatch& b) { return a.distance < b.distance; });
  return nearest_first;
}

}  // namespace

std::unique_ptr<Symbolizer> MakeSymbolizer(std::span<const ModuleRecord> modules) {
  return std::make_unique<DwarfSymbolizer>(modules);
}

}  // namespace heddle
