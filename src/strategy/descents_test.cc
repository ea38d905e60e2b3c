#include "strategy/descents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/rng.h"

namespace heddle {
namespace {

using Node = Descents::Node;

// A tree as numbers of children, made while it is looked at: which node has how many depends on the
// way to it alone.
struct Tree {
  std::uint32_t (*children)(std::uint64_t way, int depth);
  bool tells_kinds = false;  // by which child a node is

  std::vector<std::uint32_t> KindsOf(std::uint32_t count) const {
    std::vector<std::uint32_t> kinds(count);
    if (tells_kinds) std::iota(kinds.begin(), kinds.end(), 0U);
    return kinds;
  }

  double Size(std::uint64_t way = 1, int depth = 0) const {
    double size = 1;
    for (std::uint32_t i = 0; i < children(way, depth); ++i) size += Size(way * 31 + i, depth + 1);
    return size;
  }
};

struct Place {
  std::uint64_t way = 1;
  int depth = 0;
};

struct Estimated {
  RunEstimate estimate;
  std::size_t runs = 0;
};

Estimated Estimate(const Tree& tree, std::uint64_t salt = 0) {
  Descents descents;
  Estimated result;
  std::vector<Place> places(2);  // by node
  places[Descents::kRoot].way += salt;
  for (Node node = descents.Wanted(); node != Descents::kNoNode; node = descents.Wanted()) {
    const Place place = places[node];
    const std::uint32_t children = tree.children(place.way, place.depth);
    ++result.runs;
    const std::vector<std::uint32_t> kinds = tree.KindsOf(children);
    if (descents.Learn(node, kinds) == Descents::kNoNode) break;
    for (std::uint32_t i = 0; i < children; ++i) {
      places.push_back({place.way * 31 + i, place.depth + 1});
    }
  }
  result.estimate = EstimateSize(descents.sizes());
  return result;
}

std::uint32_t Binary(std::uint64_t, int depth) { return depth < 10 ? 2 : 0; }
std::uint32_t Leaf(std::uint64_t, int) { return 0; }
// Leaves early or late, wide or narrow; another tree for every root.
std::uint32_t Uneven(std::uint64_t way, int depth) {
  if (depth >= 9) return 0;
  Rng rng(way);
  const std::uint64_t draw = rng.Below(8);
  return draw == 0 && depth > 1 ? 0 : static_cast<std::uint32_t>(1 + draw % 4);
}
// Like the tree of one writer and 12 readers: the ith child of a node has i children. The way tells
// which child a node is; what it starts with makes other trees with the same sizes.
std::uint32_t Binomial(std::uint64_t way, int depth) {
  return depth == 0 ? 12 : static_cast<std::uint32_t>(way % 31);
}

TEST(DescentsTest, ARegularTreeIsMeasuredExactly) {
  const RunEstimate estimate = Estimate({Binary}).estimate;

  EXPECT_DOUBLE_EQ(estimate.runs, 2047);
  EXPECT_NEAR(estimate.low, 2047, 1e-6);
  EXPECT_NEAR(estimate.high, 2047, 1e-6);
}

TEST(DescentsTest, ATreeOfOneNodeHasOne) { EXPECT_DOUBLE_EQ(Estimate({Leaf}).estimate.runs, 1); }

TEST(DescentsTest, NothingIsRunTwice) {
  const Tree tree{Binomial};

  EXPECT_LE(static_cast<double>(Estimate(tree).runs), tree.Size());
}

// 200 trees of about a thousand to ten thousand nodes each; of 190 that an interval of 95 % has on
// average, 180 are asked for: less would be chance in 2 of 100 cases.
TEST(DescentsTest, TheTruthIsInTheIntervalNineTimesInTen) {
  const Tree tree{Uneven};
  int inside = 0;
  double ratios = 0;
  for (std::uint64_t salt = 0; salt < 200; ++salt) {
    const double truth = tree.Size(1 + salt);
    const RunEstimate estimate = Estimate(tree, salt).estimate;
    if (estimate.low <= truth * 1.0001 && truth <= estimate.high * 1.0001) ++inside;
    ratios += estimate.runs / truth;
  }

  EXPECT_GE(inside, 180);
  EXPECT_NEAR(ratios / 200, 1, 0.05);
}

TEST(DescentsTest, ATreeOfVeryUnevenSubtreesIsMeasured) {
  const RunEstimate estimate = Estimate({Binomial}).estimate;

  EXPECT_LE(estimate.low, 4096);
  EXPECT_GE(estimate.high, 4096);
  EXPECT_LE(estimate.high / estimate.low, 10);
}

// Of 4096 nodes; what a node is tells its size, so those that are drawn stand for others like them.
TEST(DescentsTest, NodesOfOneKindStandForEachOther) {
  const RunEstimate blind = Estimate({Binomial}).estimate;
  const RunEstimate estimate = Estimate({.children = Binomial, .tells_kinds = true}).estimate;

  EXPECT_LE(estimate.low, 4096 * 1.0001);
  EXPECT_GE(estimate.high, 4096 / 1.0001);
  EXPECT_LE(estimate.high / estimate.low, 1.5);
  EXPECT_LT(estimate.high / estimate.low, blind.high / blind.low);
}

TEST(DescentsTest, WhatIsKnownToBeThereCountsAtLeast) {
  const RunEstimate estimate{.runs = 100, .low = 50, .high = 40'000};

  EXPECT_EQ(estimate.AtLeast(80).runs, 100);
  EXPECT_EQ(estimate.AtLeast(80).low, 80);
  EXPECT_EQ(estimate.AtLeast(80).high, 40'000);
  EXPECT_EQ(estimate.AtLeast(400).runs, 4'000);
  EXPECT_EQ(estimate.AtLeast(400).low, 400);
  EXPECT_EQ(estimate.AtLeast(90'000).runs, 90'000);
  EXPECT_EQ(estimate.AtLeast(90'000).high, 90'000);
}

TEST(DescentsTest, ATreeThatIsTooLargeEndsThem) {
  const Tree wide{[](std::uint64_t, int) -> std::uint32_t { return 50000; }};

  EXPECT_EQ(Estimate(wide).estimate.runs, 0);
}

TEST(DescentsTest, LoadedDescentsGoOnAsTheyWouldHave) {
  Descents first;
  const std::vector<std::uint32_t> three = {5, 2, 5};
  for (int i = 0; i < 100; ++i) {
    first.Learn(first.Wanted(), std::span(three).first(i % 4 == 3 ? 0 : 3));
  }
  StateWriter writer;
  first.Save(&writer);
  const std::string text = writer.Take();
  Descents second;
  StateReader reader(text);
  ASSERT_TRUE(second.Load(&reader));
  ASSERT_TRUE(reader.AtEnd());

  for (int i = 0; i < 200 && !first.is_over(); ++i) {
    ASSERT_EQ(first.Wanted(), second.Wanted());
    const auto children = std::span(three).first(static_cast<std::size_t>(i % 3));
    first.Learn(first.Wanted(), children);
    second.Learn(second.Wanted(), children);
  }
  EXPECT_TRUE(std::equal(first.sizes().begin(), first.sizes().end(), second.sizes().begin(),
                         second.sizes().end()));
}

}  // namespace
}  // namespace heddle
