#include "strategy/descents.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/rng.h"

namespace heddle {
namespace {

constexpr std::size_t kSweeps = 8;
constexpr std::size_t kAbreast = 32;
constexpr std::size_t kMostNodes = 1 << 17;  // all that are not run are kept as work
constexpr std::size_t kLeastSizes = 3;       // two may agree by chance
// 97.5 % of Student's distribution, by the number of sweeps.
constexpr double kStudent[] = {0, 0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365};
static_assert(std::size(kStudent) == kSweeps + 1);

// Neighbours of `children`, so many of which are to stay.
struct Stratum {
  std::size_t first = 0;
  std::size_t size = 0;
  std::size_t stay = 1;
};

// By kind; where there are too many kinds, neighbouring ones together.
template <typename KindOf>
std::vector<Stratum> SplitByKind(std::size_t count, const KindOf& kind_of) {
  std::vector<Stratum> strata;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || kind_of(i) != kind_of(i - 1)) strata.push_back({.first = i});
    ++strata.back().size;
  }
  const std::size_t together = (strata.size() + kAbreast - 1) / kAbreast;
  std::vector<Stratum> merged;
  for (std::size_t i = 0; i < strata.size(); ++i) {
    if (i % together == 0) {
      merged.push_back(strata[i]);
    } else {
      merged.back().size += strata[i].size;
    }
  }
  return merged;
}

// What is left of kAbreast goes to the strata one by one, each time to the one that stands for most
// by each of its places.
void Allot(std::vector<Stratum>* strata) {
  for (std::size_t left = kAbreast - strata->size(); left > 0; --left) {
    const auto most = std::ranges::max_element(*strata, [](const Stratum& a, const Stratum& b) {
      return a.size * b.stay < b.size * a.stay;
    });
    if (most->stay >= most->size) return;
    ++most->stay;
  }
}

}  // namespace

// Leaves kAbreast of them, which stand for all. The expected weight of each is what it was, so the
// mean of a sweep is not changed by what is drawn, nor by what is taken for one kind.
void Descents::Thin(std::vector<Drawn>* children) const {
  std::ranges::stable_sort(*children, {},
                           [this](const Drawn& child) { return nodes_[child.node].kind; });
  std::vector<Stratum> strata = SplitByKind(
      children->size(), [&](std::size_t i) { return nodes_[(*children)[i].node].kind; });
  Allot(&strata);
  Rng rng(sizes_.size() << 32 | depth_);
  std::vector<Drawn> kept;
  for (const Stratum& stratum : strata) {
    const std::span<Drawn> those(children->data() + stratum.first, stratum.size);
    for (std::size_t i = those.size(); i > 1; --i) std::swap(those[i - 1], those[rng.Below(i)]);
    std::ranges::stable_sort(those, std::ranges::greater(), &Drawn::weight);
    double weight = 0;
    for (const Drawn& child : those) weight += child.weight;
    // The heaviest are sure to stay.
    std::size_t places = stratum.stay, sure = 0;
    while (places > 0 && (those.size() - sure <= places ||
                          those[sure].weight * static_cast<double>(places) >= weight)) {
      kept.push_back(those[sure]);
      weight -= those[sure].weight;
      --places;
      if (++sure == those.size()) break;
    }
    if (places == 0 || sure == those.size()) continue;
    // The others by equal steps through their weights.
    const double step = weight / static_cast<double>(places);
    double next = step * (static_cast<double>(rng.Below(1 << 20)) + 0.5) / (1 << 20);
    double passed = 0;
    for (const Drawn& child : those.subspan(sure)) {
      passed += child.weight;
      if (next < passed && places > 0) {
        kept.push_back({.node = child.node, .weight = step});
        next += step;
        --places;
      }
    }
  }
  *children = std::move(kept);
}

// Draws the next level from the children of this one; at the end of the tree, the next sweep.
void Descents::NextLevel() {
  std::vector<Drawn> children;
  for (const Drawn& drawn : level_) {
    const NodeInfo& node = nodes_[drawn.node];
    for (std::uint32_t i = 0; i < node.children; ++i) {
      children.push_back({.node = node.first_child + i, .weight = drawn.weight});
    }
  }
  next_ = 0;
  ++depth_;
  if (children.empty()) {
    sizes_.push_back(sum_);
    is_over_ = sizes_.size() == kSweeps;
    level_ = {{.node = kRoot}};
    depth_ = 0;
    sum_ = 1;
    return;
  }
  for (const Drawn& child : children) sum_ += child.weight;
  if (children.size() > kAbreast) Thin(&children);
  level_ = std::move(children);
}

// As far as the tree is known.
void Descents::GoDown() {
  while (!is_over_) {
    while (next_ < level_.size() && nodes_[level_[next_].node].is_known) ++next_;
    if (next_ < level_.size()) return;
    NextLevel();
  }
}

Descents::Node Descents::Learn(Node node, std::span<const std::uint32_t> kinds) {
  if (is_over_) return kNoNode;
  if (nodes_.size() + kinds.size() > kMostNodes) {
    is_over_ = true;
    return kNoNode;
  }
  const auto first = static_cast<Node>(nodes_.size());
  nodes_[node].first_child = first;
  nodes_[node].children = static_cast<std::uint32_t>(kinds.size());
  nodes_[node].is_known = true;
  for (const std::uint32_t kind : kinds) nodes_.push_back({.kind = kind});
  GoDown();
  return first;
}

void Descents::Save(StateWriter* writer) const {
  writer->Number(is_over_ ? 1 : 0).Number(sizes_.size());
  for (const double size : sizes_) writer->Real(size);
  if (is_over_) return;
  writer->Number(nodes_.size());
  for (const NodeInfo& node : nodes_) {
    writer->Number(node.is_known ? node.first_child : 0).Number(node.children).Number(node.kind);
  }
  writer->Number(level_.size());
  for (const Drawn& drawn : level_) writer->Number(drawn.node).Real(drawn.weight);
  writer->Number(next_).Number(depth_);
  writer->Real(sum_);
}

bool Descents::Load(StateReader* reader) {
  Descents loaded;
  loaded.is_over_ = reader->Number(1) != 0;
  for (std::uint64_t left = reader->Number(kSweeps); left > 0 && reader->ok(); --left) {
    loaded.sizes_.push_back(reader->Real());
  }
  if (!loaded.is_over_) {
    loaded.nodes_.resize(reader->Number(kMostNodes));
    for (NodeInfo& node : loaded.nodes_) {
      node.first_child = static_cast<Node>(reader->Number(kMostNodes));
      node.is_known = node.first_child != kNoNode;
      node.children = static_cast<std::uint32_t>(reader->Number(kMostNodes));
      node.kind = static_cast<std::uint32_t>(reader->Number(UINT32_MAX));
      if (node.first_child + std::size_t{node.children} > loaded.nodes_.size()) return false;
    }
    loaded.level_.resize(reader->Number(kAbreast));
    for (Drawn& drawn : loaded.level_) {
      drawn.node = static_cast<Node>(reader->Number(kMostNodes));
      drawn.weight = reader->Real();
      if (drawn.node >= loaded.nodes_.size()) return false;
    }
    loaded.next_ = reader->Number(kAbreast);
    loaded.depth_ = reader->Number();
    loaded.sum_ = reader->Real();
    if (loaded.next_ >= loaded.level_.size() || loaded.nodes_.size() <= kRoot) return false;
  }
  if (!reader->ok()) return false;
  *this = std::move(loaded);
  return true;
}

RunEstimate EstimateSize(std::span<const double> sizes) {
  if (sizes.size() < kLeastSizes || sizes.size() > kSweeps) return {};
  const auto count = static_cast<double>(sizes.size());
  double sum = 0, log_sum = 0;
  for (const double size : sizes) {
    sum += size;
    log_sum += std::log(size);
  }
  const double mean = sum / count;
  const double log_mean = log_sum / count;
  double squares = 0;
  for (const double size : sizes) {
    squares += (std::log(size) - log_mean) * (std::log(size) - log_mean);
  }
  const double variance = squares / (count - 1);
  const double error = kStudent[sizes.size()] *
                       std::sqrt(variance / count + variance * variance / (2 * (count - 1)));
  const double middle = log_mean + variance / 2;
  return {.runs = mean,
          .low = std::min(mean, std::exp(middle - error)),
          .high = std::max(mean, std::exp(middle + error))};
}

}  // namespace heddle
