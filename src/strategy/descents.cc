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
constexpr std::size_t kMostNodes = 1 << 14;  // all that are not run are kept as work
constexpr std::size_t kLeastSizes = 2;
// 97.5 % of Student's distribution, by the number of sweeps.
constexpr double kStudent[] = {0, 0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365};
static_assert(std::size(kStudent) == kSweeps + 1);

}  // namespace

// Draws the next level from the children of this one; at the end of the tree, the next sweep.
void Descents::NextLevel() {
  std::vector<Node> children;
  for (const Node node : level_) {
    for (std::uint32_t i = 0; i < nodes_[node].children; ++i) {
      children.push_back(nodes_[node].first_child + i);
    }
  }
  next_ = 0;
  ++depth_;
  if (children.empty()) {
    sizes_.push_back(sum_);
    is_over_ = sizes_.size() == kSweeps;
    level_ = {kRoot};
    depth_ = 0;
    product_ = sum_ = 1;
    return;
  }
  product_ *= static_cast<double>(children.size()) / static_cast<double>(level_.size());
  sum_ += product_;
  if (children.size() > kAbreast) {
    Rng rng(sizes_.size() << 32 | depth_);
    for (std::size_t i = 0; i < kAbreast; ++i) {
      const std::size_t drawn = rng.Below(children.size() - i);
      std::swap(children[i], children[i + drawn]);
    }
    children.resize(kAbreast);
  }
  level_ = std::move(children);
}

// As far as the tree is known.
void Descents::GoDown() {
  while (!is_over_) {
    while (next_ < level_.size() && nodes_[level_[next_]].is_known) ++next_;
    if (next_ < level_.size()) return;
    NextLevel();
  }
}

Descents::Node Descents::Learn(Node node, std::uint32_t children) {
  if (is_over_) return kNoNode;
  if (nodes_.size() + children > kMostNodes) {
    is_over_ = true;
    return kNoNode;
  }
  const auto first = static_cast<Node>(nodes_.size());
  nodes_[node] = {.first_child = first, .children = children, .is_known = true};
  nodes_.resize(nodes_.size() + children);
  GoDown();
  return first;
}

void Descents::Save(StateWriter* writer) const {
  writer->Number(is_over_ ? 1 : 0).Number(sizes_.size());
  for (const double size : sizes_) writer->Real(size);
  if (is_over_) return;
  writer->Number(nodes_.size());
  for (const NodeInfo& node : nodes_) {
    writer->Number(node.is_known ? node.first_child : 0).Number(node.children);
  }
  writer->Number(level_.size());
  for (const Node node : level_) writer->Number(node);
  writer->Number(next_).Number(depth_);
  writer->Real(product_).Real(sum_);
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
      if (node.first_child + std::size_t{node.children} > loaded.nodes_.size()) return false;
    }
    loaded.level_.resize(reader->Number(kAbreast));
    for (Node& node : loaded.level_) {
      node = static_cast<Node>(reader->Number(kMostNodes));
      if (node >= loaded.nodes_.size()) return false;
    }
    loaded.next_ = reader->Number(kAbreast);
    loaded.depth_ = reader->Number();
    loaded.product_ = reader->Real();
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
