// Committed schedules of one test: replayed before anything is searched, and written for new
// failures.
#ifndef HEDDLE_EXPLORE_REGRESSIONS_H_
#define HEDDLE_EXPLORE_REGRESSIONS_H_

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "explore/explorer.h"

namespace heddle {

// The schedule files of a directory; of other tests' too. A directory that is not there has none.
Result<std::vector<std::string>> ScheduleFilesIn(const std::string& directory);

struct RegressionReplay {
  std::size_t replayed = 0;
  // A file whose schedule fails (in the recorded way or in another), by its path as the finding's
  // id.
  std::vector<Explored::Found> found;
  // Sentences about files that no longer fit the test.
  std::vector<std::string> notes;
};

// Replays those of `files` that were recorded for `invocation.explore`. `options` are those of the
// search that is to follow; what the schedules say goes before.
Result<RegressionReplay> ReplayRegressions(const std::vector<std::string>& files,
                                           const Invocation& invocation,
                                           const ExploreOptions& options,
                                           const std::atomic<bool>& interrupt);

// Writes the schedule of a finding into the directory and says where. The file names no path of
// this machine beyond the program's, relative to the working directory.
Result<std::string> SaveRegression(const std::string& directory, const Explored::Found& found);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_REGRESSIONS_H_
