#include "symbols/line_finder.h"

#include <algorithm>

namespace heddle {
namespace {

std::vector<AddressRange> Without(std::vector<AddressRange> ranges,
                                  const std::vector<AddressRange>& holes) {
  for (const AddressRange& hole : holes) {
    std::vector<AddressRange> rest;
    for (const AddressRange& range : ranges) {
      if (range.begin < std::min(hole.begin, range.end)) {
        rest.push_back({range.begin, std::min(hole.begin, range.end)});
      }
      if (std::max(hole.end, range.begin) < range.end) {
        rest.push_back({std::max(hole.end, range.begin), range.end});
      }
    }
    ranges = std::move(rest);
  }
  return ranges;
}

// One copy of the function.
void AddCopy(const UnitCode& unit, const FunctionCode& copy, CodeByLine* code) {
  std::vector<AddressRange> own = copy.ranges;
  for (const FunctionCode& callee : copy.inlined) {
    std::vector<AddressRange>& of_call = (*code)[{callee.call_file, callee.call_line}];
    of_call.insert(of_call.end(), callee.ranges.begin(), callee.ranges.end());
    own = Without(std::move(own), callee.ranges);
  }
  for (const AddressRange& range : own) {
    auto line = std::upper_bound(
        unit.lines.begin(), unit.lines.end(), range.begin,
        [](std::uint64_t address, const LineCode& row) { return address < row.range.end; });
    for (; line != unit.lines.end() && line->range.begin < range.end; ++line) {
      const AddressRange part = {std::max(line->range.begin, range.begin),
                                 std::min(line->range.end, range.end)};
      if (part.begin < part.end) (*code)[{*line->file, line->line}].push_back(part);
    }
  }
}

void AddCopiesIn(const UnitCode& unit, const FunctionCode& within, const std::string& function,
                 CodeByLine* code) {
  if (within.name() == function) AddCopy(unit, within, code);
  for (const FunctionCode& callee : within.inlined) AddCopiesIn(unit, callee, function, code);
}

}  // namespace

void AddCodeOf(const UnitCode& unit, const std::string& function, CodeByLine* code) {
  for (const FunctionCode& top : unit.functions) AddCopiesIn(unit, top, function, code);
}

std::vector<AddressRange> Joined(std::vector<AddressRange> ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::vector<AddressRange> joined;
  for (const AddressRange& range : ranges) {
    if (!joined.empty() && range.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, range.end);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

}  // namespace heddle
