// The way back: which code belongs to a source line of a function.
#ifndef HEDDLE_SYMBOLS_LINE_FINDER_H_
#define HEDDLE_SYMBOLS_LINE_FINDER_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "symbols/dwarf_module.h"

namespace heddle {

// Code of one function by source line, from all its copies: out of line and inlined elsewhere.
// What is inlined into it belongs to the line of the call.
using CodeByLine = std::map<std::pair<std::string, int>, std::vector<AddressRange>>;

// Adds what `unit` has of `function`.
void AddCodeOf(const UnitCode& unit, const std::string& function, CodeByLine* code);

// Sorted, neighbours joined.
std::vector<AddressRange> Joined(std::vector<AddressRange> ranges);

}  // namespace heddle

#endif  // HEDDLE_SYMBOLS_LINE_FINDER_H_
