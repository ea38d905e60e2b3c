// A variant by names that are the same in every run, as a plan carries it: owners by the keys of
// their objects, threads by their paths.
#ifndef HEDDLE_STRATEGY_VARIANT_DATA_H_
#define HEDDLE_STRATEGY_VARIANT_DATA_H_

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "reach/variant.h"
#include "trace/plan.h"

namespace heddle {

struct OwnerRow {
  std::uint64_t key = 0;
  std::uint32_t first = 0;  // of its partners
  std::uint32_t fixed = 0;
  std::uint32_t recollected = 0;
  std::uint32_t unused = 0;
};
struct PartnerRow {
  std::uint64_t path = 0;
  std::uint32_t number = 0;
  std::uint32_t unused = 0;
};
struct OldRow {
  std::uint64_t path = 0;
  std::uint32_t count = 0;
  std::uint32_t unused = 0;
};

// Owners and old threads sorted by name.
struct VariantRows {
  std::vector<OwnerRow> owners;
  std::vector<PartnerRow> partners;
  std::vector<OldRow> old;
  std::vector<std::uint64_t> racy;  // keys of variables whose accesses are events
};

// Small numbers for names, by first appearance in the search.
class NameTable {
 public:
  reach::Index Of(std::uint64_t name) {
    const auto [at, is_new] = index_.emplace(name, static_cast<reach::Index>(names_.size()));
    if (is_new) names_.push_back(name);
    return at->second;
  }
  reach::Index Find(std::uint64_t name) const {
    const auto at = index_.find(name);
    return at == index_.end() ? reach::kNone : at->second;
  }
  std::uint64_t NameOf(reach::Index index) const { return names_[index]; }
  reach::Index size() const { return static_cast<reach::Index>(names_.size()); }

 private:
  std::unordered_map<std::uint64_t, reach::Index> index_;  // never iterated
  std::vector<std::uint64_t> names_;
};

void PutVariant(const reach::Variant& variant, const NameTable& owners, const NameTable& threads,
                const std::set<std::uint64_t>& racy, Plan& plan);
void TakeVariant(const Plan& plan, VariantRows& rows);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_VARIANT_DATA_H_
