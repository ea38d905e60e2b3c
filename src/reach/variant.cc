#include "reach/variant.h"

#include <algorithm>
#include <utility>

namespace heddle::reach {
namespace {

struct Change {
  Index receive = 0;
  Index send = 0;  // its new partner
};

// The rows in order: the headings before `column` are decided.
class Rows {
 public:
  Rows(const Sequence& run, std::span<const Heading> headings,
       const std::function<void(std::span<const int>)>& row)
      : run_(run), headings_(headings), row_(row), values_(headings.size(), 0) {}

  void From(std::size_t column) {
    if (column == headings_.size()) {
      if (!changes_.empty()) row_(values_);
      return;
    }
    const Heading& heading = headings_[column];
    const bool removed = std::any_of(changes_.begin(), changes_.end(), [&](const Change& change) {
      return run_.InPrimeOf(change.receive, heading.receive);
    });
    values_[column] = removed ? -1 : 0;
    From(column + 1);
    if (removed) return;
    for (std::size_t i = 0; i < heading.race.size(); ++i) {
      const Index send = heading.race[i];
      // Both changes must be possible at once: neither removes the other's send.
      const bool clash = std::any_of(changes_.begin(), changes_.end(), [&](const Change& change) {
        return run_.PrecedesSend(change.receive, send) ||
               run_.PrecedesSend(heading.receive, change.send);
      });
      if (clash) continue;
      values_[column] = static_cast<int>(i) + 1;
      changes_.push_back({heading.receive, send});
      From(column + 1);
      changes_.pop_back();
    }
  }

 private:
  const Sequence& run_;
  std::span<const Heading> headings_;
  const std::function<void(std::span<const int>)>& row_;
  std::vector<int> values_;
  std::vector<Change> changes_;
};

}  // namespace

bool Allows(const Variant& variant, Index owner, Index received, const SendName& send) {
  const std::span<const SendName> fixed = variant.PartnersOf(owner);
  if (received < fixed.size()) return fixed[received] == send;
  if (received > fixed.size() || !variant.IsRecollected(owner)) return true;
  return !variant.IsOld(send);
}

std::vector<Heading> HeadingsOf(const Variant& variant, const Sequence& run, Races& races) {
  races.Begin(&run);
  std::vector<Heading> headings;
  for (Index r = 0; r < run.receives().size(); ++r) {
    const Receive& receive = run.receives()[r];
    if (receive.number < variant.ColouredOf(receive.owner)) continue;
    std::vector<Index> race = races.Of(r);
    const std::size_t fixed = variant.PartnersOf(receive.owner).size();
    const bool recollected = variant.IsRecollected(receive.owner);
    if (receive.number < fixed + (recollected ? 1 : 0)) {
      // The receive is old: changes among old sends belong to other variants.
      std::erase_if(race, [&](Index send) { return variant.IsOld(run.NameOfSend(send)); });
    }
    if (!race.empty()) headings.push_back({r, std::move(race)});
  }
  return headings;
}

void ForEachRow(const Sequence& run, std::span<const Heading> headings,
                const std::function<void(std::span<const int>)>& row) {
  Rows(run, headings, row).From(0);
}

Variant VariantOf(const Variant& variant, const Sequence& run, std::span<const Heading> headings,
                  std::span<const int> row) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] > 0) changes.push_back({headings[i].receive, headings[i].race[row[i] - 1]});
  }
  const auto after_a_change = [&](Index send) {
    return std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
      return run.PrecedesSend(change.receive, send);
    });
  };

  Variant result;
  result.owners.resize(run.shape().owners);
  std::vector<Index> coloured(run.shape().owners);
  for (Index owner = 0; owner < run.shape().owners; ++owner) {
    coloured[owner] = variant.ColouredOf(owner);
    Variant::PerOwner& mine = result.owners[owner];
    mine.first = static_cast<Index>(result.partners.size());
    bool ended = true;  // not cut short
    for (const Index r : run.ReceivesOf(owner)) {
      const auto changed = std::find_if(changes.begin(), changes.end(),
                                        [&](const Change& c) { return c.receive == r; });
      if (std::any_of(changes.begin(), changes.end(),
                      [&](const Change& c) { return run.InPrimeOf(c.receive, r); })) {
        ended = false;
        break;
      }
      const Index partner = changed != changes.end() ? changed->send : run.receives()[r].partner;
      if (changed == changes.end() && after_a_change(partner)) {
        mine.recollected = true;
        ended = false;
        break;
      }
      result.partners.push_back(run.NameOfSend(partner));
    }
    mine.fixed = static_cast<Index>(result.partners.size()) - mine.first;
    // A recollected receive that found no partner in this run is still to be filled, unless the
    // owner itself is affected by a change.
    if (ended && variant.IsRecollected(owner) &&
        run.ReceivesOf(owner).size() == variant.PartnersOf(owner).size() &&
        std::none_of(changes.begin(), changes.end(),
                     [&](const Change& c) { return run.PrecedesOwner(c.receive, owner); })) {
      mine.recollected = true;
    }
  }

  result.old.resize(run.shape().threads);
  for (Index thread = 0; thread < run.shape().threads; ++thread) {
    for (const Index send : run.SendsOf(thread)) {
      if (after_a_change(send)) break;
      ++result.old[thread];
    }
  }

  for (const Change& change : changes) {
    run.RaiseToPast(change.receive, change.send, coloured);
    const Receive& receive = run.receives()[change.receive];
    coloured[receive.owner] = std::max(coloured[receive.owner], receive.number + 1);
  }
  for (Index owner = 0; owner < run.shape().owners; ++owner) {
    result.owners[owner].coloured = coloured[owner];
  }
  return result;
}

}  // namespace heddle::reach
