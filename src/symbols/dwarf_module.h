// The debug information of one loaded module, read as it is asked for.
//
// Addresses are file addresses: the worker's minus the module's load bias.
#ifndef HEDDLE_SYMBOLS_DWARF_MODULE_H_
#define HEDDLE_SYMBOLS_DWARF_MODULE_H_

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "symbols/symbolizer.h"

namespace heddle {

struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool Contains(std::uint64_t address) const { return address >= begin && address < end; }
  friend auto operator<=>(const AddressRange&, const AddressRange&) = default;
};

// Names of a unit's functions, found when they are asked for: what is inlined in many places has
// one declaration, and to find the scopes of a name may take a walk through the whole unit.
class FunctionNames {
 public:
  const std::string& Of(Dwarf_Die die);  // ShortName

 private:
  std::map<Dwarf_Off, std::string> names_;  // by declaration
};

// A function that was compiled: out of line, or into another one.
struct FunctionCode {
  Dwarf_Die die = {};
  FunctionNames* names = nullptr;     // of its unit
  std::vector<AddressRange> ranges;   // where its code lies, what is inlined into it included
  std::vector<FunctionCode> inlined;  // directly into it
  std::string call_file;              // of an inlined one: where it was called
  int call_line = 0;
  int call_column = 0;

  const std::string& name() const { return names->Of(die); }
  bool Contains(std::uint64_t address) const;
};

// A row of the line table and the code up to the next one.
struct LineCode {
  AddressRange range;
  int line = 0;
  int column = 0;
  const std::string* file = nullptr;  // never null; owned by the unit
};

// One compilation unit.
struct UnitCode {
  Dwarf_Die die = {};
  std::vector<FunctionCode> functions;       // out of line, by first address
  std::vector<LineCode> lines;               // by address
  std::map<const char*, std::string> files;  // libdw's string -> absolute path
  std::unique_ptr<FunctionNames> names = std::make_unique<FunctionNames>();

  const LineCode* LineAt(std::uint64_t address) const;
  const FunctionCode* FunctionAt(std::uint64_t address) const;
};

// Owned by a Symbolizer, which owns the Dwfl too.
class DwarfModule {
 public:
  explicit DwarfModule(Dwfl_Module* module);

  // Null when there is no debug information for it.
  const UnitCode* UnitAt(std::uint64_t file_address);
  std::vector<const UnitCode*> AllUnits();
  // The units as they are, for readers of their own.
  std::vector<Dwarf_Die> UnitDies() const;

  Dwarf* dwarf() const { return dwarf_; }
  std::uint64_t bias() const { return bias_; }

 private:
  // Ours, since clang writes no .debug_aranges, which libdwfl needs for its own.
  struct UnitRange {
    AddressRange range;
    Dwarf_Die unit = {};
  };

  const UnitCode& Read(Dwarf_Die unit);

  Dwfl_Module* module_;
  Dwarf* dwarf_ = nullptr;
  Dwarf_Addr bias_ = 0;
  std::vector<UnitRange> unit_ranges_;  // by address
  std::map<Dwarf_Off, UnitCode> units_;
};

// Small readers of DIEs, following abstract origins and specifications.
std::string NameOfDie(Dwarf_Die* die);  // ShortName of the linkage name, or the plain name
std::vector<AddressRange> RangesOfDie(Dwarf_Die* die);
std::uint64_t UnsignedAttribute(Dwarf_Die* die, unsigned attribute, std::uint64_t otherwise);
std::string AbsolutePath(Dwarf_Die* unit, const char* file);

}  // namespace heddle

#endif  // HEDDLE_SYMBOLS_DWARF_MODULE_H_
