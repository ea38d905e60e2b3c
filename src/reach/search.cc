#include "reach/search.h"

#include <algorithm>
#include <utility>

namespace heddle::reach {

Variant VariantSearch::Next() {
  Variant variant = std::move(pending_.back());
  pending_.pop_back();
  return variant;
}

std::vector<Heading> VariantSearch::Learn(const Variant& variant, const Sequence& run,
                                          bool blocked) {
  if (blocked) {
    ++counts_.blocked;
  } else {
    ++counts_.sequences;
  }
  std::vector<Heading> headings = HeadingsOf(variant, run, races_);
  ForEachRow(run, headings, [&](std::span<const int> row) {
    pending_.push_back(VariantOf(variant, run, headings, row));
    ++counts_.variants;
  });
  counts_.most_pending = std::max(counts_.most_pending, pending_.size());
  return headings;
}

}  // namespace heddle::reach
