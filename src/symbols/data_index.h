// Variables with a fixed address: from an address inside one to a path such as
// "bank.accounts[2].balance".
#ifndef HEDDLE_SYMBOLS_DATA_INDEX_H_
#define HEDDLE_SYMBOLS_DATA_INDEX_H_

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <vector>

#include "symbols/dwarf_module.h"

namespace heddle {

// Globals, static members and static locals of one module. Reads all units when made.
class DataIndex {
 public:
  explicit DataIndex(DwarfModule* module);

  struct Place {
    std::string name;                // "" when no variable covers the address
    bool is_floating_point = false;  // what lies there
  };
  Place At(std::uint64_t file_address) const;

 private:
  struct Variable {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string name;
    Dwarf_Die type = {};
  };

  void Collect(Dwarf_Die* parent);
  void Add(Dwarf_Die* variable);

  std::vector<Variable> variables_;  // by begin
};

}  // namespace heddle

#endif  // HEDDLE_SYMBOLS_DATA_INDEX_H_
