// The shared memory between the controller and one worker: commands down, results and traces up.
//
// One memfd, mapped by the controller, by the worker (the program under test, stopped before its
// first thread) and by every run it forks. Nobody sends anything per event: a run writes its
// records here and the controller reads them when the run is over. The worker keeps no descriptor:
// the tested program may close all of them.
//
// Hand-over: the controller fills `request`, then sets `turn` to kWorker and wakes it; the worker
// makes the runs, fills `records` and sets `turn` to kController. Each side sleeps on `turn`
// (FUTEX_WAIT, shared).
#ifndef HEDDLE_TRACE_CHANNEL_H_
#define HEDDLE_TRACE_CHANNEL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "trace/pair_coverage.h"
#include "trace/plan.h"
#include "trace/records.h"
#include "trace/rule.h"

namespace heddle {

inline constexpr std::uint64_t kChannelMagic = 0x31656c6464656800;  // "\0heddle1"
inline constexpr std::uint32_t kChannelVersion = 2;                 // the layout has SourceHash()

// Environment variable that turns a program built for heddle into a worker: "FD" of the channel's
// memfd.
inline constexpr char kChannelVariable[] = "HEDDLE_CHANNEL";

inline constexpr std::uint32_t kMaxBatch = 256;          // runs per hand-over
inline constexpr std::uint32_t kMaxPrefix = 1u << 20;    // answers
inline constexpr std::uint32_t kMaxPlanData = 1u << 20;  // bytes
inline constexpr std::uint32_t kMaxSites = 1u << 16;
inline constexpr std::uint32_t kMaxObjects = 1u << 18;
inline constexpr std::uint32_t kMaxFrames = 1u << 20;
inline constexpr std::uint32_t kMaxModules = 256;
inline constexpr std::uint32_t kMaxUncontrolled = 64;
inline constexpr std::uint32_t kMaxAnchors = 1u << 14;
inline constexpr std::uint32_t kMaxRanges = 1u << 16;
inline constexpr std::uint32_t kMaxFocus = 1u << 14;        // ranges of --focus and --ignore
inline constexpr std::uint32_t kMaxSliceRuns = 1u << 16;    // runs of a search inside the worker
inline constexpr std::uint32_t kMaxSearchState = 1u << 26;  // bytes
inline constexpr std::uint32_t kMaxOutcomes = 128;
inline constexpr char kOtherOutcomes[] = "(others)";  // more than there are places for
inline constexpr std::uint32_t kMaxInput = 1u << 22;  // bytes of an input log

enum class Turn : std::uint32_t { kStarting, kController, kWorker };

enum class Backend : std::uint8_t { kFiber, kBaton };
enum class Points : std::uint8_t { kSync, kShared, kAll };
enum class Timeouts : std::uint8_t { kAny, kIdle };
// A loop that can't end before somebody else changes what it reads: it is run round by round,
// counts as blocked, or is also told to the controller, so that later runs know it from the first
// round on.
enum class Awaits : std::uint8_t { kOff, kBlock, kLearn };
// What is run again and again: a whole program, or a function of a test (heddle::Explore) that is
// repeated inside one process or in a process each.
enum class Isolation : std::uint8_t { kProgram, kInProcess, kProcess };
// Whether freed memory is handed out again: not for long, at once, or as the schedule decides.
enum class Reuse : std::uint8_t { kNever, kAlways, kExplore };

// Set once, before the worker starts.
struct WorkerConfig {
  Backend backend = Backend::kFiber;
  Points points = Points::kShared;
  Timeouts timeouts = Timeouts::kAny;
  std::uint8_t stop_for_debugger = 0;  // SIGTRAP where the failure happens, keep the process
  Isolation isolation = Isolation::kProgram;
  std::uint8_t races = 1;  // look for data races
  Reuse reuse = Reuse::kNever;
  std::uint8_t spurious_wakeups = 0;  // waits for a condition may end for nothing
  std::uint8_t serve_late = 0;        // runs begin in main: at heddle::Ready() or at `start_offset`
  Awaits awaits = Awaits::kBlock;
  std::uint8_t unused[6] = {};
  std::uint64_t start_offset = 0;  // in the executable: the function where runs begin; 0 = none
  std::uint64_t max_steps = 0;     // events per run
  std::uint64_t memory_bytes = 0;  // heap per run
  std::uint64_t max_events = 0;    // capacity of the event area; later ones are counted, not kept
  std::int32_t output_fd = -1;     // where stdout and stderr of runs go; rewound before each run
  std::int32_t controller_pid = 0;
};

// What of a program comes from another heddle than the controller: said by its engine, which then
// ends.
enum class Stranger : std::uint32_t { kNone, kEngine, kHooks };

// What runs learn and are told: mostly that the access at a place in the code is a scheduling
// point.
enum class Lesson : std::uint8_t {
  kAccess,
  kLoop,        // a loop that only waits begins there
  kRule,        // no place: `offset` is a Rule
  kUnseenLoop,  // a jump there closes a loop that waits in code that was not instrumented
};

// A place in the code, the same in every process: module and offset.
struct SiteRef {
  std::uint32_t module = 0;  // index in `modules`; a Lesson in its upper bits
  std::uint32_t offset = 0;

  static constexpr std::uint32_t kLessonShift = 30;
  static constexpr SiteRef Of(Lesson lesson, std::uint32_t module, std::uint32_t offset) {
    return {module | static_cast<std::uint32_t>(lesson) << kLessonShift, offset};
  }
  static constexpr SiteRef Of(Rule rule) {
    return Of(Lesson::kRule, 0, static_cast<std::uint32_t>(rule));
  }
  constexpr Lesson lesson() const { return static_cast<Lesson>(module >> kLessonShift); }
  constexpr SiteRef place() const { return {module & ((1u << kLessonShift) - 1), offset}; }
};

struct ModuleRecord {
  std::uint64_t base = 0;   // load address: a site is base + offset
  std::uint64_t begin = 0;  // of the mapped range
  std::uint64_t end = 0;
  std::uint8_t build_id[20] = {};
  std::uint32_t build_id_size = 0;
  char path[488] = {};
};

// What a record of a Lesson::kUnseenLoop is called: such a loop may be a lock.
inline constexpr char kUnseenLoopName[] = "waiting in a loop that heddle does not see";

struct UncontrolledRecord {
  char what[64] = {};     // "sendfile", "pthread_sigqueue"
  char effect[128] = {};  // what that means for the result
  std::uint64_t site = 0;
  std::uint64_t count = 0;
};

// Where a replay on another build must switch: when `from` announces its nth operation of `kind`
// whose stack has a frame in one of the ranges, `to` goes on. Ranges are offsets in the module.
struct AnchorRecord {
  std::uint64_t from_path = 0;  // path hash of the thread
  std::uint64_t to_path = 0;
  std::uint32_t occurrence = 0;   // from 1, counted per (thread, kind, ranges)
  std::uint32_t first_range = 0;  // in `ranges`
  std::uint32_t range_count = 0;  // 0: switch when `from` can't go on
  OpKind kind = OpKind::kNone;
  DecisionKind decision = DecisionKind::kThread;
  Outcome outcome = Outcome::kNormal;
  std::uint8_t unused = 0;
};

struct CodeRange {
  std::uint32_t module = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// A run may stop before a decision and stay as a checkpoint: a copy of it goes on as the run, and
// later runs that begin with the same decisions are made from it (runtime/worker/checkpoint.h).
inline constexpr std::uint32_t kMaxCheckpoints = 8;  // on one way

// Why a run left no checkpoint.
enum class CheckpointRefusal : std::uint8_t {
  kNone,
  kBackend,       // its threads would not come along
  kPolicy,        // it can't go on with another plan
  kDescriptors,   // opened, closed, written or moved
  kStreams,       // pipes, sockets and the like
  kSharedMemory,  // of the program's
  kProcesses,     // children of the program's
  kFiles,         // in the directory for temporary ones
  kUncontrolled,  // something that heddle does not control happened
  kCantTell,      // no /proc, or without what is needed
  kNoProcess,     // the machine gave none
  kLast = kNoProcess,
};

struct CheckpointRecord {
  std::uint64_t events = 0;     // before it
  std::uint64_t decisions = 0;  // likewise
};

inline constexpr std::uint8_t kQuit = 1;
inline constexpr std::uint8_t kQuitFailed = 2;  // what it was to reproduce was reproduced

// One hand-over: `runs` runs numbered from `first_run`, all with the same plan (more than one only
// for an independent search). The worker stops early after a run that did not pass or that saw new
// sites.
struct Request {
  std::uint64_t first_run = 0;
  std::uint64_t seed = 0;
  std::uint64_t params[8] = {};
  std::uint32_t runs = 0;
  std::uint32_t prefix_size = 0;
  std::uint32_t data_size = 0;
  std::uint32_t site_count = 0;    // scheduling points among plain and atomic accesses, in `sites`
  std::uint32_t range_count = 0;   // code ranges all of whose accesses are points, in `ranges`
  std::uint32_t point_ranges = 0;  // how many of `ranges`, from the first, are scheduling points
  std::uint32_t anchor_count = 0;  // replay by anchors instead of by answers
  std::uint8_t detail = 0;         // take a stack at every event, values of plain accesses
  std::uint8_t keep_events = 0;    // the search wants them
  std::uint8_t run_on = 0;         // behind a failure the other threads go on
  // Failures that do not count: who fails is left behind there, and the run goes on.
  std::uint8_t parked = 0;
  std::uint8_t tolerant = 0;     // prefix answers that do not fit are skipped (shrinking)
  std::uint8_t quit = 0;         // end the worker: kQuit or kQuitFailed
  std::uint8_t coverage = 0;     // fill in `coverage`, a set for every run
  std::uint32_t input_size = 0;  // of the log that the run is fed, in `fed_input`; 0 = it is not
  // Of the checkpoints that there are, how many may stay: the run goes on from the last of these.
  std::uint32_t keep_checkpoints = 0;
  std::uint32_t checkpoint_count = 0;  // to be left before these decisions, ascending
  std::uint32_t checkpoint_at[kMaxCheckpoints] = {};
  std::uint8_t measure = 0;  // fill in run_began and run_ended
  char policy[26] = {};
};

// A search that the worker makes by itself (kInProcess): it asks the strategy for plans, makes the
// runs, lets it learn, and comes back after `nanoseconds` or `most_runs`, at a run that did not
// pass, and at a run that saw new sites. Everything but `wanted` is unused otherwise.
struct SearchRequest {
  std::uint64_t number = 0;  // of the search: another number is another search
  std::uint64_t budget = 0;  // runs of the whole search
  std::uint64_t most_runs = 0;
  std::uint64_t nanoseconds = 0;
  std::uint32_t state_size = 0;  // where to go on, in `state`; 0 = from the beginning
  std::uint8_t wanted = 0;
  std::uint8_t unused[3] = {};
  char strategy[128] = {};  // as the user wrote it
};

// SearchReport::leaks_state: a run found a mutex locked that an earlier one had left so; it copied
// its process by clone.
inline constexpr std::uint8_t kLeftLocked = 2;
inline constexpr std::uint8_t kCloned = 3;

// How far such a search got in this hand-over.
struct SearchReport {
  std::uint64_t runs = 0;     // all below are of these
  std::uint64_t blocked = 0;  // given up as redundant; the classes of all others are in `classes`
  std::uint64_t events = 0;
  std::uint32_t most_threads = 0;
  std::uint32_t state_size = 0;    // what the search would go on from, in `state`; 0 = not saved
  std::uint8_t is_over = 0;        // no more plans
  std::uint8_t is_complete = 0;    // and that is proved
  std::uint8_t leaks_state = 0;    // the same decisions gave other events than before; or why
  std::uint8_t warming_up = 0;     // the run that ended the process was the first of its process
  std::uint64_t leaked_after = 0;  // runs
  std::uint8_t is_skipped = 0;     // the body asked for it; why is in the failure's message
  std::uint8_t sees_new = 0;  // the last run saw something new that it survived; its trace is there
  std::uint8_t unused[6] = {};
  std::uint64_t sighting_hits[kMaxSightings] = {};  // runs that saw it
};

// What bodies said with heddle::Outcome(), over all runs of this worker.
struct OutcomeRecord {
  std::uint64_t count = 0;
  char text[56] = {};
};

// The start of the mapping. The areas behind it lie at the offsets that Layout gives.
struct Channel {
  std::uint64_t magic = 0;
  std::uint32_t version = 0;
  // These lie here for ever: with them two heddles notice that they are not the same.
  std::atomic<Stranger> stranger{Stranger::kNone};
  std::uint64_t size = 0;         // of the whole mapping
  std::uint64_t source_hash = 0;  // of the controller's sources

  std::atomic<Turn> turn{Turn::kStarting};
  std::atomic<std::int32_t> worker_pid{0};
  std::atomic<std::int32_t> run_pid{0};              // of the child that is running; 0 between runs
  std::atomic<std::uint64_t> run_now{0};             // number of that run, for the watchdog
  std::atomic<std::uint64_t> heartbeat{0};           // events so far in that run
  std::atomic<std::uint32_t> killed_by_watchdog{0};  // set by the controller before it kills
  std::uint32_t batch_retired = 0;  // the process of a library that made runs has left

  // Checkpoints that there are, from the first decision on; each one's process is the child of the
  // one before it.
  std::atomic<std::uint32_t> checkpoint_count{0};
  std::uint32_t made_from = 0;  // checkpoint that the last run went on from, from 1; 0 = it began
  CheckpointRecord checkpoints[kMaxCheckpoints];
  std::int32_t checkpoint_pids[kMaxCheckpoints] = {};
  CheckpointRefusal refusal = CheckpointRefusal::kNone;  // of the last run
  std::uint32_t refused_at = 0;                          // decision
  std::uint64_t run_began = 0;                           // nanoseconds
  std::uint64_t run_ended = 0;

  WorkerConfig config;
  Request request;
  SearchRequest search;
  SearchReport search_report;

  // Results of a hand-over.
  std::uint32_t record_count = 0;
  std::uint32_t module_count = 0;
  std::uint32_t uncontrolled_count = 0;
  std::uint32_t new_site_count = 0;
  RunRecord records[kMaxBatch];

  // Of the last run only.
  Failure failure;
  std::uint32_t later_count = 0;
  LaterFailure later[kMaxLaterFailures];
  std::uint32_t decision_count = 0;  // kept, at most max_events
  std::uint32_t event_count = 0;     // kept
  std::uint32_t object_count = 0;    // kept, [0] included
  std::uint32_t widened = 0;         // some of them, since they were first kept
  std::uint32_t thread_count = 0;
  std::uint32_t frame_count = 0;
  std::uint32_t has_thread_stacks = 0;
  std::uint32_t has_event_stacks = 0;
  std::uint32_t started_main = 0;   // the program got as far as main
  std::uint32_t input_size = 0;     // of what came from outside (trace/input_log.h), in `input`
  std::uint64_t input_missing = 0;  // bytes that did not fit
  // Where a run was seen by other runs, or could have been (runtime/worker/shared_places.h). Stays.
  static constexpr std::uint32_t kSharedAddress = 1, kSharedFile = 2;
  std::uint32_t shared_places = 0;
  char shared_file[108] = {};  // the first one

  // Sites that runs met and the worker does not know yet, in `met_sites`: what the worker knows,
  // its children need not find out again. Between the worker and its runs only.
  std::uint32_t met_site_count = 0;

  // Of --focus and --ignore, one behind the other in `focus`; version 0 = there are none.
  std::uint32_t focus_version = 0;
  std::uint32_t focus_count = 0;
  std::uint32_t ignore_count = 0;

  // What runs saw and survived, since the worker started or the controller set the count to 0.
  std::uint32_t sighting_count = 0;
  Sighting sightings[kMaxSightings];

  ModuleRecord modules[kMaxModules];
  UncontrolledRecord uncontrolled[kMaxUncontrolled];
  std::uint32_t outcome_count = 0;
  OutcomeRecord outcomes[kMaxOutcomes];
};

// Offsets of the areas behind Channel, in bytes, for a given max_events.
struct Layout {
  std::size_t prefix, data, sites, new_sites, met_sites, anchors, ranges, coverage;
  std::size_t decisions, events, objects, threads, thread_stacks, event_stacks, frames;
  std::size_t classes, state, focus, input, fed_input;
  std::size_t size;
};

constexpr Layout LayoutFor(std::uint64_t max_events) {
  std::size_t at = (sizeof(Channel) + 4095) & ~std::size_t{4095};
  const auto take = [&at](std::size_t bytes) {
    const std::size_t here = at;
    at = (at + bytes + 4095) & ~std::size_t{4095};
    return here;
  };
  Layout l{};
  l.prefix = take(sizeof(Answer) * kMaxPrefix);
  l.data = take(kMaxPlanData);
  l.sites = take(sizeof(SiteRef) * kMaxSites);
  l.new_sites = take(sizeof(SiteRef) * kMaxSites);
  l.met_sites = take(sizeof(std::uint64_t) * kMaxSites);
  l.anchors = take(sizeof(AnchorRecord) * kMaxAnchors);
  l.ranges = take(sizeof(CodeRange) * kMaxRanges);
  l.coverage = take(sizeof(PairCoverage) * kMaxBatch);
  l.decisions = take(sizeof(DecisionRecord) * max_events);
  l.events = take(sizeof(Event) * max_events);
  l.objects = take(sizeof(ObjectRecord) * kMaxObjects);
  l.threads = take(sizeof(ThreadRecord) * kMaxThreads);
  l.thread_stacks = take(sizeof(StackRecord) * kMaxThreads);
  l.event_stacks = take(sizeof(StackRecord) * max_events);
  l.frames = take(sizeof(std::uint64_t) * kMaxFrames);
  l.classes = take(sizeof(std::uint64_t) * kMaxSliceRuns);
  l.state = take(kMaxSearchState);
  l.focus = take(sizeof(CodeRange) * kMaxFocus);
  l.input = take(kMaxInput);
  l.fed_input = take(kMaxInput);
  l.size = at;
  return l;
}

template <typename T>
T* AreaOf(Channel* channel, std::size_t offset) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(channel) + offset);
}

// What a run found out, for later ones to be told.
inline void AddNewSite(Channel* channel, SiteRef site) {
  if (channel->new_site_count >= kMaxSites) return;
  const Layout layout = LayoutFor(channel->config.max_events);
  AreaOf<SiteRef>(channel, layout.new_sites)[channel->new_site_count++] = site;
}

}  // namespace heddle

#endif  // HEDDLE_TRACE_CHANNEL_H_
