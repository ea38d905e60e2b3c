#include "symbols/data_index.h"

#include <dwarf.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace heddle {
namespace {

constexpr int kDeepestPath = 16;  // a damaged file may hold types that contain themselves

std::optional<Dwarf_Die> TypeOf(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_attr_integrate(die, DW_AT_type, &attribute) == nullptr) return std::nullopt;
  if (dwarf_formref_die(&attribute, &type) == nullptr) return std::nullopt;
  return type;
}

// Without typedef, const, volatile; a declaration replaced by nothing better stays.
Dwarf_Die Peeled(Dwarf_Die type) {
  Dwarf_Die peeled = type;
  return dwarf_peel_type(&type, &peeled) == 0 ? peeled : type;
}

std::uint64_t SizeOf(Dwarf_Die type) {
  Dwarf_Word size = 0;
  Dwarf_Die peeled = Peeled(type);
  return dwarf_aggregate_size(&peeled, &size) == 0 ? size : 0;
}

std::vector<std::uint64_t> Dimensions(Dwarf_Die* array) {
  std::vector<std::uint64_t> counts;
  Dwarf_Die child;
  if (dwarf_child(array, &child) != 0) return counts;
  do {
    if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
    const std::uint64_t none = ~std::uint64_t{0};
    std::uint64_t count = UnsignedAttribute(&child, DW_AT_count, none);
    if (count == none) count = UnsignedAttribute(&child, DW_AT_upper_bound, none) + 1;
    counts.push_back(count);
  } while (dwarf_siblingof(&child, &child) == 0);
  return counts;
}

std::string ArrayIndexes(Dwarf_Die* array, std::uint64_t index) {
  const std::vector<std::uint64_t> counts = Dimensions(array);
  std::string text;
  for (std::size_t i = counts.size(); i-- > 0;) {
    const bool outermost = i == 0;
    const std::uint64_t here = outermost || counts[i] == 0 ? index : index % counts[i];
    if (!outermost && counts[i] != 0) index /= counts[i];
    text = "[" + std::to_string(here) + "]" + text;
  }
  return text;
}

// A place inside a value, named by the rest of the path to it: ".balance", "[2]", "". Members of
// library types are left out when their names are private to the library.
using Place = DataIndex::Place;
Place PlaceIn(Dwarf_Die type, std::uint64_t offset, int depth);

// The member of a class that covers the offset, bases included.
Place MemberAt(Dwarf_Die* type, std::uint64_t offset, int depth) {
  Dwarf_Die child;
  if (dwarf_child(type, &child) != 0) return {};
  do {
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
    const bool in_union = dwarf_tag(type) == DW_TAG_union_type;
    const std::uint64_t none = ~std::uint64_t{0};
    const std::uint64_t begin =
        UnsignedAttribute(&child, DW_AT_data_member_location, in_union ? 0 : none);
    if (begin == none) continue;  // a static member, or a virtual base
    const std::optional<Dwarf_Die> member = TypeOf(&child);
    if (!member || offset < begin || offset - begin >= SizeOf(*member)) continue;
    Place inner = PlaceIn(*member, offset - begin, depth + 1);
    const char* text = dwarf_diename(&child);
    const std::string_view name = text == nullptr || tag == DW_TAG_inheritance ? "" : text;
    if (name.empty() || name == "_M_elems") return inner;  // std::array's
    // Names that begin like this are the library's own: its user knows only the whole.
    const bool is_library =
        name.size() > 1 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
    inner.name = is_library ? "" : "." + std::string(name) + inner.name;
    return inner;
  } while (dwarf_siblingof(&child, &child) == 0);
  return {};
}

Place PlaceIn(Dwarf_Die declared, std::uint64_t offset, int depth) {
  if (depth > kDeepestPath) return {};
  Dwarf_Die type = Peeled(declared);
  switch (dwarf_tag(&type)) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
      return MemberAt(&type, offset, depth);
    case DW_TAG_array_type: {
      const std::optional<Dwarf_Die> element = TypeOf(&type);
      const std::uint64_t size = element ? SizeOf(*element) : 0;
      if (size == 0) return {};
      Place place = PlaceIn(*element, offset % size, depth + 1);
      place.name = ArrayIndexes(&type, offset / size) + place.name;
      return place;
    }
    case DW_TAG_base_type:
      return {"", UnsignedAttribute(&type, DW_AT_encoding, 0) == DW_ATE_float};
    default:
      return {};
  }
}

}  // namespace

DataIndex::DataIndex(DwarfModule* module) {
  for (Dwarf_Die unit : module->UnitDies()) Collect(&unit);
  std::stable_sort(variables_.begin(), variables_.end(), [](const Variable& a, const Variable& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
}

void DataIndex::Collect(Dwarf_Die* parent) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  do {
    switch (dwarf_tag(&child)) {
      case DW_TAG_variable:
        Add(&child);
        break;
      case DW_TAG_namespace:
      case DW_TAG_subprogram:
      case DW_TAG_lexical_block:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
        Collect(&child);
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

void DataIndex::Add(Dwarf_Die* variable) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr) return;
  if (dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1) return;
  std::uint64_t begin = operations[0].number;
  if (operations[0].atom == DW_OP_addrx || operations[0].atom == DW_OP_GNU_addr_index) {
    Dwarf_Attribute indexed;
    Dwarf_Addr address = 0;
    if (dwarf_getlocation_attr(&attribute, &operations[0], &indexed) != 0) return;
    if (dwarf_formaddr(&indexed, &address) != 0) return;
    begin = address;
  } else if (operations[0].atom != DW_OP_addr) {
    return;
  }
  const std::optional<Dwarf_Die> type = TypeOf(variable);
  if (!type) return;
  const std::uint64_t size = std::max<std::uint64_t>(1, SizeOf(*type));
  variables_.push_back({begin, begin + size, NameOfDie(variable), *type});
}

Place DataIndex::At(std::uint64_t address) const {
  auto after = std::upper_bound(
      variables_.begin(), variables_.end(), address,
      [](std::uint64_t a, const Variable& variable) { return a < variable.begin; });
  if (after == variables_.begin()) return {};
  --after;
  if (address >= after->end) return {};
  Place place = PlaceIn(after->type, address - after->begin, 0);
  place.name = after->name + place.name;
  return place;
}

}  // namespace heddle
