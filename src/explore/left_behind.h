// A body that is repeated in one process may fail because of what its earlier runs changed.
//
// Comparing runs (runtime/library/search.h) takes a few of them, and one that fails ends its
// process: where nearly all fail there is nothing to compare. But if a body fails whatever the
// order of its threads, and its first run in a process does not, then the runs before are to blame.
#ifndef HEDDLE_EXPLORE_LEFT_BEHIND_H_
#define HEDDLE_EXPLORE_LEFT_BEHIND_H_

#include <atomic>
#include <string>

#include "explore/explorer.h"
#include "explore/ledger.h"

namespace heddle {

// `options` are those of a search in process. Makes two runs, each in a process of its own.
bool FailsOnlyAfterEarlierRuns(const FailedRun& failed, const Invocation& invocation,
                               const ExploreOptions& options, const std::string& temporary,
                               const std::atomic<bool>& interrupt);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_LEFT_BEHIND_H_
