// The controller's end of the shared memory: making it, and putting orders into it.
#ifndef HEDDLE_EXPLORE_CHANNEL_END_H_
#define HEDDLE_EXPLORE_CHANNEL_END_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "explore/checkpoints.h"
#include "explore/descriptor.h"
#include "explore/validate.h"
#include "report/finding.h"
#include "trace/channel.h"
#include "trace/plan.h"

namespace heddle {

class WorkerSource;

struct WorkerOptions {
  Backend backend = Backend::kFiber;
  Points points = Points::kShared;
  Timeouts timeouts = Timeouts::kAny;
  Reuse reuse = Reuse::kNever;
  std::uint64_t max_steps = 1'000'000;
  std::uint64_t max_events = 1u << 20;      // kept per run
  std::uint64_t memory_bytes = 2ull << 30;  // of one run
  bool races = true;
  bool stop_for_debugger = false;
  double hang_seconds = 10;  // without an event
  std::string preload;       // the engine; empty when the program links it
  std::string temporary;     // TMPDIR of its runs; made and removed by the worker
  Isolation isolation = Isolation::kProgram;
  Scope scope;                     // of the search
  bool learns_loops = false;       // loops that only wait are told, as Reply::new_sites
  bool serve_at_ready = false;     // the program calls heddle::Ready()
  WorkerSource* source = nullptr;  // nullptr: the program is started; not owned
};

// What to run. The spans must live until Run() returns.
struct Order {
  const Plan* plan = nullptr;  // of the first run; the others differ in their number only
  std::uint32_t runs = 1;
  std::span<const SiteRef> sites = {};
  std::span<const AnchorRecord> anchors = {};
  std::span<const CodeRange> ranges = {};
  std::span<const std::uint8_t> input = {};  // what to feed it from outside; empty = it asks
  std::uint32_t point_ranges = 0;
  bool detail = false;                    // stacks at every event; implies want_trace
  bool tolerant = false;                  // answers that do not fit are skipped
  bool want_events = false;               // the whole trace of the last run even when it passed
  bool run_on = false;                    // behind a failure the other threads go on
  std::uint32_t parked = 0;               // failures before the one that counts: see Request
  bool want_output = false;               // what it printed even when it passed
  bool want_coverage = false;             // of every run
  const SearchRequest* search = nullptr;  // instead of `runs` runs of the plan
  std::string_view search_state = {};     // that it goes on from
  bool forget_sightings = false;          // tell again what was told before
  CheckpointOrder checkpoints = {};       // to go on from, and to leave
  double hang_seconds = 0;  // without an event, where it is known what to expect; 0 = the worker's
  double until = 0;         // MonotonicSeconds; who has not got on by then is stopped; 0 = no limit
};

// Owns the mapping. Movable; the channel's address stays.
class ChannelEnd {
 public:
  // `output` is the program's descriptor that runs print to; -1 = leave it alone.
  static Result<ChannelEnd> Make(const WorkerOptions& options, int output);
  ChannelEnd(ChannelEnd&& other) noexcept
      : facts_(other.facts_),
        file_(std::move(other.file_)),
        channel_(std::exchange(other.channel_, nullptr)) {}
  ChannelEnd& operator=(ChannelEnd&&) = delete;
  ~ChannelEnd();

  Channel* channel() const { return channel_; }
  const ChannelFacts& facts() const { return facts_; }
  int descriptor() const { return file_.get(); }

  // Looks the function of --start-at up; before the worker starts. An Error: it is not there.
  Status SetStart(const Scope& scope, const std::string& program);
  // Looks the names of --focus and --ignore up in the modules of a worker that is ready. An Error
  // names the one that is not there.
  Status SetScope(const Scope& scope, std::span<const ModuleRecord> modules);
  // Fills in the request and gives the worker its turn.
  void Post(const Order& order);
  // Asks the worker to end; a test that became a run then says with its status whether it failed.
  void PostQuit(bool failed = false);
  // Returns when the turn is no longer `seen`, or after that time, or a little earlier.
  void SleepWhile(Turn seen, double seconds) const;

 private:
  ChannelEnd() = default;
  void GiveTurn();

  ChannelFacts facts_;
  Descriptor file_;
  Channel* channel_ = nullptr;
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_CHANNEL_END_H_
