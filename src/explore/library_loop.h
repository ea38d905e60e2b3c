// The searching part of heddle::Explore: one worker, which makes the search itself and reports now
// and then.
//
// Nothing is sent per run. What a slice of runs found is entered into the ledger; a run that fails
// ends the process that made it, and the search goes on from the state that it left behind.
#ifndef HEDDLE_EXPLORE_LIBRARY_LOOP_H_
#define HEDDLE_EXPLORE_LIBRARY_LOOP_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "explore/explorer.h"
#include "explore/judge.h"
#include "explore/run_loop.h"
#include "explore/worker.h"

namespace heddle {

class LibraryLoop {
 public:
  LibraryLoop(const Invocation& invocation, const ExploreOptions& options, std::string temporary);

  // Once. As RunLoop::Run; stops early, with leaks_state, when runs turn out to see earlier ones.
  Result<SearchOutcome> Run(const std::atomic<bool>& interrupt, const ProgressFunction& progress);

 private:
  Status StartWorker(const std::atomic<bool>& interrupt);
  SearchReply Ask(std::uint64_t most_runs, const std::atomic<bool>& interrupt);
  void HearSearch(const std::atomic<bool>& interrupt);
  // One hand-over; false when the search is over.
  Result<bool> Advance(const std::atomic<bool>& interrupt);
  bool Enter(SearchReply reply, const std::atomic<bool>& interrupt);
  // The process that made the runs was lost together with the search in it.
  bool GoOnAfter(const std::string& state);
  // Whether there was anything new.
  bool LearnPoints(const Reply& reply);
  void NoteSightings(const SearchReply& reply, const Plan& plan);
  void NoteUncontrolled(const Reply& reply);
  std::unique_ptr<Search> MakeSearch() const;

  const Invocation& invocation_;
  const ExploreOptions& options_;
  const std::string temporary_;
  FailureNamer namer_;
  std::unique_ptr<WorkerProcess> worker_;
  bool ordered_ = false;
  bool wants_coverage_ = false;
  bool wants_whole_ = false;

  std::shared_ptr<const PointSet> points_ = std::make_shared<const PointSet>();
  std::vector<SiteRef> sites_;
  double deadline_ = 0;       // MonotonicSeconds
  std::uint64_t number_ = 1;  // of the search; a new point begins an adaptive one anew
  std::string state_;
  bool is_over_ = false;
  bool is_complete_ = false;
  bool lost_runs_ = false;  // part of the search was lost: it proves nothing
  int losses_ = 0;
  std::map<std::pair<std::string, std::string>, Uncontrolled> uncontrolled_;
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> counted_;
  Sighted sighted_;  // of this worker
  SearchOutcome outcome_;
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_LIBRARY_LOOP_H_
