// Race variants (section 4.3 of the paper): prefixes of SYN-sequences that could have happened but
// did not, and the table that lists them.
//
// Differs from the paper, which defers to a report we do not have: the bookkeeping that makes every
// SYN-sequence appear exactly once (recollected receives, old sends, coloured receives) is our own
// derivation. Each part is needed: without colours the search may not end; with colours but the
// removal rule of Definition 2 sequences appear twice; a recollected receive that may take an old
// send gives duplicates at once.
#ifndef HEDDLE_REACH_VARIANT_H_
#define HEDDLE_REACH_VARIANT_H_

#include <functional>
#include <span>
#include <vector>

#include "reach/races.h"
#include "reach/sequence.h"

namespace heddle::reach {

// What a run has to begin with. Empty: nothing, the run is free. Owners and threads that it does
// not mention have no entries.
struct Variant {
  struct PerOwner {
    Index first = 0;           // of its partners
    Index fixed = 0;           // how many receives are fixed
    Index coloured = 0;        // how many receives may no more be changed by variants of this one
    bool recollected = false;  // the receive after the fixed ones may take new sends only
  };
  std::vector<PerOwner> owners;
  std::vector<SendName> partners;  // of the fixed receives, owner by owner
  std::vector<Index> old;          // by thread: how many of its sends the variant contains

  std::span<const SendName> PartnersOf(Index owner) const {
    if (owner >= owners.size()) return {};
    return std::span(partners).subspan(owners[owner].first, owners[owner].fixed);
  }
  bool IsRecollected(Index owner) const {
    return owner < owners.size() && owners[owner].recollected;
  }
  Index ColouredOf(Index owner) const { return owner < owners.size() ? owners[owner].coloured : 0; }
  bool IsOld(const SendName& send) const {
    return send.thread < old.size() && send.number < old[send.thread];
  }
};

// Whether an owner may take `send` as its receive number `received`: a fixed one must have the
// fixed partner, a recollected one takes new sends only.
bool Allows(const Variant& variant, Index owner, Index received, const SendName& send);

// A column of the race table: a receive that may be changed, and to what.
struct Heading {
  Index receive = 0;
  std::vector<Index> race;
};

// The columns for a run of `variant`, in an order in which no receive stands before one that
// precedes it. `races` is of that run afterwards.
std::vector<Heading> HeadingsOf(const Variant& variant, const Sequence& run, Races& races);

// A row gives for each heading: -1 the receive is removed, 0 it is unchanged, v > 0 it takes the
// v-th send of its race set. Calls `row` for every row, each a variant.
void ForEachRow(const Sequence& run, std::span<const Heading> headings,
                const std::function<void(std::span<const int>)>& row);

// The variant of one row.
Variant VariantOf(const Variant& variant, const Sequence& run, std::span<const Heading> headings,
                  std::span<const int> row);

}  // namespace heddle::reach

#endif  // HEDDLE_REACH_VARIANT_H_
