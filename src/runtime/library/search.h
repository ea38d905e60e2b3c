// A search inside the process that makes the runs: no hand-over per run.
//
// The strategy is the registry's, as in the controller. At the end of every slice, and from the
// last moments of a run that ends the process, the search writes down how far it is, so that
// another process can go on.
#ifndef HEDDLE_RUNTIME_LIBRARY_SEARCH_H_
#define HEDDLE_RUNTIME_LIBRARY_SEARCH_H_

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "runtime/library/body.h"
#include "strategy/strategy.h"
#include "trace/channel.h"

namespace heddle {

class InProcessSearch {
 public:
  InProcessSearch(const Body& body, Channel* channel) : body_(body), channel_(channel) {}

  // Makes the runs of one SearchRequest. True: this process has collected too much of what its runs
  // left behind; its state is saved, and another one should go on.
  bool Serve();

 private:
  struct Reference {
    std::vector<Answer> answers;
    std::uint64_t event_hash = 0;
  };

  void Begin();
  void MakeRun(const Plan& plan);
  void Account(const RunRecord& record, bool is_redundant);
  // What only one who knows all runs so far can say of one.
  void CompareWithAll(RunRecord* record);
  void KeepReference(const RunRecord& record);
  // Whether a run with the answers of the first one still does what the first one did.
  void CheckForLeaks();
  void Save();
  // Valid until the next run.
  const RunTrace& TraceOf(const RunRecord& record);
  // The run that is under way ends this process: the search learns from it and is saved.
  static void BeforeLeaving();

  const Body body_;
  Channel* const channel_;
  std::unique_ptr<Search> search_;
  std::uint64_t number_ = 0;
  bool independent_ = false;  // the plan under way needs no events
  bool ordered_ = false;
  bool wants_coverage_ = false;
  PairCoverage coverage_;
  std::unordered_set<std::uint64_t> classes_;  // seen; never iterated, bounded
  const Plan* plan_ = nullptr;                 // of the run under way; null: not of the search
  std::uint64_t made_ = 0;                     // runs of this process
  std::uint64_t next_check_ = 0;
  std::uint64_t leaky_runs_ = 0;
  Reference reference_;
  RunTrace trace_;
};

// The record of the run that begins now; see batch.cc.
RunRecord* StartRun(Channel* channel, std::uint64_t number);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_LIBRARY_SEARCH_H_
