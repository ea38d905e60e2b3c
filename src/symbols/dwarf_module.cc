#include "symbols/dwarf_module.h"

#include <dwarf.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "symbols/names.h"

namespace heddle {
namespace {

bool IsFunctionScope(int tag) {
  return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

bool HoldsFunctions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_union_type || tag == DW_TAG_module;
}

// Of a function that is inlined or defined here.
Dwarf_Die DeclarationOf(Dwarf_Die* die) {
  Dwarf_Die declaration = *die;
  for (const unsigned link : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Attribute attribute;
    if (dwarf_attr(&declaration, link, &attribute) == nullptr) continue;
    Dwarf_Die target;
    if (dwarf_formref_die(&attribute, &target) != nullptr) declaration = target;
  }
  return declaration;
}

class UnitReader {
 public:
  explicit UnitReader(UnitCode* unit) : unit_(unit) {}

  void Read() {
    ReadFunctions(&unit_->die);
    std::stable_sort(unit_->functions.begin(), unit_->functions.end(),
                     [](const FunctionCode& a, const FunctionCode& b) {
                       return a.ranges.front() < b.ranges.front();
                     });
    ReadLines();
  }

 private:
  // Functions lie at the top, in namespaces, in classes, and local classes lie in functions.
  void ReadFunctions(Dwarf_Die* parent) {
    Dwarf_Die child;
    if (dwarf_child(parent, &child) != 0) return;
    do {
      const int tag = dwarf_tag(&child);
      if (tag == DW_TAG_subprogram) {
        FunctionCode function;
        function.die = child;
        function.ranges = RangesOfDie(&child);
        if (!function.ranges.empty()) {
          function.names = unit_->names.get();
          ReadInlined(&child, &function);
          unit_->functions.push_back(std::move(function));
        }
        ReadFunctions(&child);
      } else if (HoldsFunctions(tag) || IsFunctionScope(tag)) {
        ReadFunctions(&child);
      }
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  void ReadInlined(Dwarf_Die* parent, FunctionCode* into) {
    Dwarf_Die child;
    if (dwarf_child(parent, &child) != 0) return;
    do {
      const int tag = dwarf_tag(&child);
      if (IsFunctionScope(tag)) {
        ReadInlined(&child, into);
      } else if (tag == DW_TAG_inlined_subroutine) {
        FunctionCode function;
        function.die = child;
        function.ranges = RangesOfDie(&child);
        function.names = unit_->names.get();
        function.call_file = CallFile(&child);
        function.call_line = static_cast<int>(UnsignedAttribute(&child, DW_AT_call_line, 0));
        function.call_column = static_cast<int>(UnsignedAttribute(&child, DW_AT_call_column, 0));
        ReadInlined(&child, &function);
        if (!function.ranges.empty()) into->inlined.push_back(std::move(function));
      }
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  std::string CallFile(Dwarf_Die* die) {
    if (file_table_ == nullptr && dwarf_getsrcfiles(&unit_->die, &file_table_, &file_count_) != 0) {
      return "";
    }
    const std::uint64_t index = UnsignedAttribute(die, DW_AT_call_file, ~std::uint64_t{0});
    if (index >= file_count_) return "";
    return FileOf(dwarf_filesrc(file_table_, index, nullptr, nullptr));
  }

  const std::string& FileOf(const char* file) {
    auto found = unit_->files.find(file);
    if (found == unit_->files.end()) {
      found = unit_->files.emplace(file, AbsolutePath(&unit_->die, file)).first;
    }
    return found->second;
  }

  void ReadLines() {
    Dwarf_Lines* rows = nullptr;
    std::size_t count = 0;
    if (dwarf_getsrclines(&unit_->die, &rows, &count) != 0) return;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      Dwarf_Line* row = dwarf_onesrcline(rows, i);
      bool ends = false;
      Dwarf_Addr begin = 0, end = 0;
      dwarf_lineendsequence(row, &ends);
      dwarf_lineaddr(row, &begin);
      dwarf_lineaddr(dwarf_onesrcline(rows, i + 1), &end);
      const char* file = dwarf_linesrc(row, nullptr, nullptr);
      if (ends || begin >= end || file == nullptr) continue;
      LineCode code;
      code.range = {begin, end};
      dwarf_lineno(row, &code.line);
      dwarf_linecol(row, &code.column);
      code.file = &FileOf(file);
      // Line 0 is code the compiler gives to no line: it belongs to what came before.
      if (code.line == 0 && !unit_->lines.empty() && unit_->lines.back().range.end == begin) {
        unit_->lines.back().range.end = end;
      } else {
        unit_->lines.push_back(code);
      }
    }
    std::stable_sort(unit_->lines.begin(), unit_->lines.end(),
                     [](const LineCode& a, const LineCode& b) { return a.range < b.range; });
  }

  UnitCode* unit_;
  Dwarf_Files* file_table_ = nullptr;
  std::size_t file_count_ = 0;
};

std::string StringAttribute(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(die, name, &attribute) == nullptr) return "";
  const char* text = dwarf_formstring(&attribute);
  return text == nullptr ? "" : text;
}

bool IsClosure(Dwarf_Die* type) {
  const int tag = dwarf_tag(type);
  if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type) return false;
  const char* name = dwarf_diename(type);
  return name == nullptr || std::string_view(name).substr(0, 7) == "<lambda";
}

void CollectClosures(Dwarf_Die* scope, std::vector<Dwarf_Die>* closures) {
  Dwarf_Die child;
  if (dwarf_child(scope, &child) != 0) return;
  do {
    if (IsClosure(&child)) closures->push_back(child);
    if (IsFunctionScope(dwarf_tag(&child))) CollectClosures(&child, closures);
  } while (dwarf_siblingof(&child, &child) == 0);
}

// "{lambda#2}": the second of its function by place. g++ gives closures no linkage names.
std::string ClosureName(Dwarf_Die* closure, Dwarf_Die* function) {
  std::vector<Dwarf_Die> all;
  CollectClosures(function, &all);
  const auto place = [](Dwarf_Die die) {
    return std::pair(UnsignedAttribute(&die, DW_AT_decl_line, 0),
                     UnsignedAttribute(&die, DW_AT_decl_column, 0));
  };
  std::size_t nth = 1;
  for (const Dwarf_Die& other : all) nth += place(other) < place(*closure) ? 1 : 0;
  return "{lambda#" + std::to_string(nth) + "}";
}

// A function without a linkage name is a C function, main, or local to one: its scopes tell.
std::string QualifiedName(Dwarf_Die* die) {
  Dwarf_Die declaration = DeclarationOf(die);
  std::string name = StringAttribute(die, DW_AT_name);
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&declaration, &scopes);
  for (int i = 1; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (tag == DW_TAG_subprogram) {
      name.insert(0, NameOfDie(&scopes[i]) + "::");
      break;  // which is qualified itself
    }
    if (!HoldsFunctions(tag)) continue;
    const char* scope = dwarf_diename(&scopes[i]);
    if (IsClosure(&scopes[i])) {
      int outer = i + 1;
      while (outer < count && IsFunctionScope(dwarf_tag(&scopes[outer]))) ++outer;
      std::string closure = outer < count ? ClosureName(&scopes[i], &scopes[outer]) : "{lambda#1}";
      name = name == "operator()" ? closure : closure + "::" + name;
    } else if (scope != nullptr) {
      name.insert(0, std::string(scope) + "::");
    }
  }
  std::free(scopes);
  return name;
}

}  // namespace

const std::string& FunctionNames::Of(Dwarf_Die die) {
  Dwarf_Die declaration = DeclarationOf(&die);
  const Dwarf_Off offset = dwarf_dieoffset(&declaration);
  auto found = names_.find(offset);
  if (found == names_.end()) found = names_.emplace(offset, NameOfDie(&die)).first;
  return found->second;
}

bool FunctionCode::Contains(std::uint64_t address) const {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const AddressRange& range) { return range.Contains(address); });
}

const LineCode* UnitCode::LineAt(std::uint64_t address) const {
  auto after =
      std::upper_bound(lines.begin(), lines.end(), address,
                       [](std::uint64_t a, const LineCode& line) { return a < line.range.begin; });
  if (after == lines.begin()) return nullptr;
  --after;
  return after->range.Contains(address) ? &*after : nullptr;
}

const FunctionCode* UnitCode::FunctionAt(std::uint64_t address) const {
  for (const FunctionCode& function : functions) {
    if (function.Contains(address)) return &function;
  }
  return nullptr;
}

DwarfModule::DwarfModule(Dwfl_Module* module) : module_(module) {
  dwarf_ = dwfl_module_getdwarf(module_, &bias_);
  for (Dwarf_Die unit : UnitDies()) {
    for (const AddressRange& range : RangesOfDie(&unit)) unit_ranges_.push_back({range, unit});
  }
  std::stable_sort(unit_ranges_.begin(), unit_ranges_.end(),
                   [](const UnitRange& a, const UnitRange& b) { return a.range < b.range; });
}

const UnitCode* DwarfModule::UnitAt(std::uint64_t file_address) {
  auto after =
      std::upper_bound(unit_ranges_.begin(), unit_ranges_.end(), file_address,
                       [](std::uint64_t a, const UnitRange& unit) { return a < unit.range.begin; });
  if (after == unit_ranges_.begin()) return nullptr;
  --after;
  return after->range.Contains(file_address) ? &Read(after->unit) : nullptr;
}

std::vector<Dwarf_Die> DwarfModule::UnitDies() const {
  std::vector<Dwarf_Die> all;
  if (dwarf_ == nullptr) return all;
  Dwarf_Die* unit = nullptr;
  Dwarf_Addr bias = 0;
  while ((unit = dwfl_module_nextcu(module_, unit, &bias)) != nullptr) all.push_back(*unit);
  return all;
}

std::vector<const UnitCode*> DwarfModule::AllUnits() {
  std::vector<const UnitCode*> all;
  for (const Dwarf_Die& unit : UnitDies()) all.push_back(&Read(unit));
  return all;
}

const UnitCode& DwarfModule::Read(Dwarf_Die unit) {
  const Dwarf_Off offset = dwarf_dieoffset(&unit);
  auto found = units_.find(offset);
  if (found == units_.end()) {
    found = units_.emplace(offset, UnitCode()).first;
    found->second.die = unit;
    UnitReader(&found->second).Read();
  }
  return found->second;
}

std::string NameOfDie(Dwarf_Die* die) {
  std::string linkage = StringAttribute(die, DW_AT_linkage_name);
  if (linkage.empty()) linkage = StringAttribute(die, DW_AT_MIPS_linkage_name);
  return linkage.empty() ? QualifiedName(die) : ShortName(Demangle(linkage));
}

std::vector<AddressRange> RangesOfDie(Dwarf_Die* die) {
  std::vector<AddressRange> ranges;
  Dwarf_Addr base = 0, begin = 0, end = 0;
  std::ptrdiff_t at = 0;
  while ((at = dwarf_ranges(die, at, &base, &begin, &end)) > 0) {
    if (begin < end) ranges.push_back({begin, end});
  }
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

std::uint64_t UnsignedAttribute(Dwarf_Die* die, unsigned name, std::uint64_t otherwise) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(die, name, &attribute) == nullptr) return otherwise;
  return dwarf_formudata(&attribute, &value) == 0 ? value : otherwise;
}

std::string AbsolutePath(Dwarf_Die* unit, const char* file) {
  if (file == nullptr) return "";
  std::filesystem::path path(file);
  if (path.is_relative()) {
    Dwarf_Attribute attribute;
    const char* directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    if (directory != nullptr) path = std::filesystem::path(directory) / path;
  }
  return path.lexically_normal().string();
}

}  // namespace heddle
