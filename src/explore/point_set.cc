#include "explore/point_set.h"

#include <algorithm>

namespace heddle {

std::vector<Point> PointsOf(std::span<const SiteRef> sites, std::span<const ModuleRecord> modules) {
  std::vector<Point> points;
  points.reserve(sites.size());
  for (const SiteRef& site : sites) {
    const SiteRef place = site.place();
    if (site.lesson() == Lesson::kRule) {
      points.push_back({"", place.offset, Lesson::kRule});
    } else if (place.module < modules.size()) {
      points.push_back({modules[place.module].path, place.offset, site.lesson()});
    }
  }
  return points;
}

std::vector<Point> FirstPoints(bool checks_output) {
  if (!checks_output) return {};
  return {{"", static_cast<std::uint32_t>(Rule::kOutput), Lesson::kRule}};
}

bool PointSet::Add(std::span<const Point> points) {
  bool any_new = false;
  for (const Point& point : points) {
    if (is_full()) break;
    any_new |= points_.insert(point).second;
  }
  return any_new;
}

bool PointSet::HasUnseenLoops() const {
  return std::any_of(points_.begin(), points_.end(),
                     [](const Point& point) { return point.lesson == Lesson::kUnseenLoop; });
}

std::vector<SiteRef> PointSet::For(std::span<const ModuleRecord> modules) const {
  std::vector<SiteRef> sites;
  sites.reserve(points_.size());
  for (const Point& point : points_) {
    if (point.lesson == Lesson::kRule) {
      sites.push_back(SiteRef::Of(Lesson::kRule, 0, point.offset));
      continue;
    }
    for (std::uint32_t i = 0; i < modules.size(); ++i) {
      if (point.module == modules[i].path) {
        sites.push_back(SiteRef::Of(point.lesson, i, point.offset));
        break;
      }
    }
  }
  return sites;
}

}  // namespace heddle
