// Reachability testing as a search: every SYN-sequence of a program exactly once.
//
// Take a variant, run the program so that it begins with it, hand the SYN-sequence back; the search
// derives the variants of it. The order is depth first, so what is pending stays small; no sequence
// is stored. When nothing is pending and nothing is out, every SYN-sequence has been exercised, if
// every run terminated and threads communicate in no other way.
#ifndef HEDDLE_REACH_SEARCH_H_
#define HEDDLE_REACH_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "reach/races.h"
#include "reach/sequence.h"
#include "reach/variant.h"

namespace heddle::reach {

struct SearchCounts {
  std::uint64_t sequences = 0;
  std::uint64_t blocked = 0;  // runs that ended because only barred receives were left: no sequence
  std::uint64_t variants = 0;  // derived so far
  std::size_t most_pending = 0;
};

class VariantSearch {
 public:
  VariantSearch() { pending_.emplace_back(); }
  // Goes on where another one was.
  VariantSearch(std::vector<Variant> pending, const SearchCounts& counts)
      : pending_(std::move(pending)), counts_(counts) {}

  bool HasNext() const { return !pending_.empty(); }
  Variant Next();

  // `run` began with `variant`. A blocked run is no SYN-sequence of its own, but its variants
  // count.
  // Returns the headings of its race table.
  std::vector<Heading> Learn(const Variant& variant, const Sequence& run, bool blocked);

  const SearchCounts& counts() const { return counts_; }
  const std::vector<Variant>& pending() const { return pending_; }

 private:
  std::vector<Variant> pending_;  // a stack
  SearchCounts counts_;
  Races races_;  // of the run that is learnt; kept for its memory
};

}  // namespace heddle::reach

#endif  // HEDDLE_REACH_SEARCH_H_
