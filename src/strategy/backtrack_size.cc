// How many runs there are in all, from the part of the tree that depth-first search has seen.
//
// What is to be tried at a decision turns up only in the runs behind it, so random descents have
// nothing to draw from. Instead what is known to be left at each decision counts as if it were as
// large, on average, as what was tried there (the weighted backtrack estimator of Kilby, Slaney,
// Thiebaux and Walsh, "Estimating Search Tree Size", AAAI 2006).
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "strategy/backtrack.h"

namespace heddle {

namespace {

constexpr double kLeastRuns = 32;

// How far off what is still to come may be, either way, and how much more of it turns up that
// nobody knows of yet. Measured on the abstract machine, after 0.02 to 60 % of the runs of dpor and
// baseline: of 299 estimates 294 had the truth in their interval.
constexpr double kOffBelow = 4, kOffAbove = 4, kTurnsUp = 3;

}  // namespace

RunEstimate BacktrackSearch::EstimatedRuns() const {
  if (options_.guided || !state_.started) return {};
  const auto made = static_cast<double>(state_.given - state_.outstanding.size());
  struct Below {           // a decision that is kept
    double runs = 0;       // made behind those of its options that are kept
    double estimated = 0;  // ... and to be made
    int out = 0;           // options that are being run
  };
  std::vector<Below> below(state_.nodes.size());
  for (const auto& [run, from] : state_.outstanding) {
    if (from.node != kNoNode) ++below[from.node].out;
  }
  std::vector<Index> kept;
  for (Index i = 0; i < state_.nodes.size(); ++i) {
    if (state_.nodes[i].references > 0) kept.push_back(i);
  }
  std::sort(kept.begin(), kept.end(),
            [this](Index a, Index b) { return state_.nodes[a].depth > state_.nodes[b].depth; });
  double known = made + static_cast<double>(state_.outstanding.size());
  double all = 0;
  for (const Index index : kept) {
    const Node& node = state_.nodes[index];
    const Below& here = below[index];
    const int tried = std::max(1, std::popcount(node.done) - here.out);
    const int left = std::popcount(node.todo) + here.out;
    const double seen = static_cast<double>(node.runs) - here.runs + here.estimated;
    const double estimated = seen * (1 + static_cast<double>(left) / tried);
    known += std::popcount(node.todo);
    if (node.parent == kNoNode) {
      all += estimated;
      continue;
    }
    Below& parent = below[node.parent];
    parent.runs += static_cast<double>(node.runs);
    parent.estimated += estimated;
  }
  if (known == made) return {made, made, made};
  if (made < kLeastRuns) return {};
  // The less has been seen, the more turns up that nobody knows of yet.
  const double rest = all - made;
  const double unseen = all / made;
  const RunEstimate estimate = {.runs = made + rest * std::sqrt(unseen),
                                .low = made + rest / kOffBelow,
                                .high = made + rest * std::max(kOffAbove, kTurnsUp * unseen)};
  return estimate.AtLeast(known);
}

}  // namespace heddle
