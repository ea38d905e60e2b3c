// The accesses that are scheduling points, learnt from run to run; what else is one, by a rule;
// and, for searches that want to know, the loops that only wait.
//
// Workers number their modules themselves, so a point is kept under its module's path and numbered
// for each worker anew. Ordered, so that every worker gets the same list.
#ifndef HEDDLE_EXPLORE_POINT_SET_H_
#define HEDDLE_EXPLORE_POINT_SET_H_

#include <compare>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "trace/channel.h"

namespace heddle {

struct Point {
  std::string module;  // path; of a rule none
  std::uint32_t offset = 0;
  Lesson lesson = Lesson::kAccess;

  friend auto operator<=>(const Point&, const Point&) = default;
};

std::vector<Point> PointsOf(std::span<const SiteRef> sites, std::span<const ModuleRecord> modules);

// What is a point from the first run on.
std::vector<Point> FirstPoints(bool checks_output);

class PointSet {
 public:
  // Whether any of them is new. What exceeds the channel's capacity is left out: those accesses are
  // then no scheduling points, in any run.
  bool Add(std::span<const Point> points);
  std::size_t size() const { return points_.size(); }
  const std::set<Point>& points() const { return points_; }
  bool is_full() const { return points_.size() >= kMaxSites; }
  // There are loops whose accesses nobody sees: no search tries all orders of those.
  bool HasUnseenLoops() const;

  // As a worker with these modules numbers them. A point in a module it has not loaded is left out:
  // no code of that module can run there before it is loaded.
  std::vector<SiteRef> For(std::span<const ModuleRecord> modules) const;

 private:
  std::set<Point> points_;
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_POINT_SET_H_
