// From shared memory to something that can be trusted.
//
// A run may scribble over the channel while it lives, and a process it left behind may do so later.
// So everything is copied first and the copy is checked: what passes has every index in range, and
// nothing outside can change it any more.
#ifndef HEDDLE_EXPLORE_VALIDATE_H_
#define HEDDLE_EXPLORE_VALIDATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "explore/checkpoints.h"
#include "trace/channel.h"
#include "trace/run_trace.h"

namespace heddle {

// The records of one run, owned. A RunTrace made from it is valid as long as it lives unchanged.
struct OwnedTrace {
  RunRecord record;
  Failure failure;
  std::vector<DecisionRecord> decisions;
  std::vector<Event> events;
  std::vector<ObjectRecord> objects;
  std::vector<ThreadRecord> threads;
  std::vector<StackRecord> thread_stacks;
  std::vector<StackRecord> event_stacks;
  std::vector<std::uint64_t> frames;
  std::vector<Sighting> sightings;  // that this run saw
  std::vector<LaterFailure> later;  // of a run that ran on
  std::vector<std::uint8_t> input;  // from outside, see trace/input_log.h
  std::uint64_t input_missing = 0;  // bytes of it that were too many

  RunTrace View() const;
  // Forgets what came behind the failure of a run that ran on.
  void CutAt(const RunRecord& failed);
};

// What the channel must still say of itself after a run.
struct ChannelFacts {
  std::uint64_t max_events = 0;
  std::uint64_t size = 0;
};

// Errors below say what is damaged; the worker is then to be replaced, with a fresh channel.

// Magic, version and size.
Status CheckHeader(const Channel& channel, const ChannelFacts& facts);

// The records of a hand-over whose request was `runs` runs from `first_run`: a beginning of them,
// at least one.
Result<std::vector<RunRecord>> CopyRecords(const Channel& channel, std::uint64_t first_run,
                                           std::uint32_t runs);

// The last run of the hand-over, which ended with `record`. With decisions_only the rest stays
// empty.
enum class TraceParts { kDecisions, kEverything };
Result<OwnedTrace> CopyTrace(Channel* channel, const ChannelFacts& facts, const RunRecord& record,
                             TraceParts parts);

// What failed behind the failure of a run that ran on, as far as it makes sense.
std::vector<LaterFailure> CopyLater(const Channel& channel, const OwnedTrace& trace);

// Those that the worker has behind the run of `record`. What makes no sense is left out: without
// them the next run begins at its beginning, and those that there are leave.
CheckpointReply CopyCheckpoints(const Channel& channel, const RunRecord& record);

// Of a process that ended before its first run: none of the threads is known, so none is named.
Failure CopyFailure(const Channel& channel);

// All of the worker; a bit in a run's record is an index here.
Result<std::vector<Sighting>> CopySightings(const Channel& channel);

Result<std::vector<ModuleRecord>> CopyModules(const Channel& channel);
Result<std::vector<UncontrolledRecord>> CopyUncontrolled(const Channel& channel);
// Sites whose module is in range of `modules`.
Result<std::vector<SiteRef>> CopyNewSites(Channel* channel, const ChannelFacts& facts,
                                          std::size_t modules);

// How far a search inside the worker is.
struct SearchProgress {
  SearchReport report;
  std::vector<std::uint64_t> classes;
  std::string state;
  std::string skipped;  // why; see SearchReport::is_skipped
};
Result<SearchProgress> CopySearch(Channel* channel, const ChannelFacts& facts);
std::vector<OutcomeRecord> CopyOutcomes(const Channel& channel);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_VALIDATE_H_
