// A search on disk, to go on with in another process: `heddle run --resume`.
//
// What a search knows is of one build of the program and of one set of scheduling points, so both
// are kept with it.
#ifndef HEDDLE_EXPLORE_SEARCH_STATE_H_
#define HEDDLE_EXPLORE_SEARCH_STATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "explore/point_set.h"

namespace heddle {

struct SearchState {
  std::string identity;  // what was asked for: strategy, seed, points, time-outs
  std::string build_id;
  std::uint64_t runs = 0;  // made so far
  std::vector<Point> points;
  std::string search;  // of Search::Save
};

std::string BuildIdText(const ModuleRecord& module);

// Replaces the file as a whole: a kill in the middle leaves the state before.
Status WriteSearchState(const std::string& path, const SearchState& state);

// Nothing: there is no such file. An Error: it is none of ours, or damaged.
Result<std::optional<SearchState>> ReadSearchState(const std::string& path);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_SEARCH_STATE_H_
