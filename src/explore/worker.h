// One worker: the program under test, stopped before its first thread, making runs on demand.
//
// The controller's end of trace/channel.h. A worker may hang, grow, crash, or write over the shared
// memory; the WorkerProcess notices, ends what must be ended and says what happened. It never
// trusts a number it reads from there, least of all a process id.
#ifndef HEDDLE_EXPLORE_WORKER_H_
#define HEDDLE_EXPLORE_WORKER_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "explore/channel_end.h"
#include "explore/descriptor.h"
#include "explore/output_file.h"
#include "explore/validate.h"
#include "explore/worker_source.h"
#include "report/finding.h"
#include "trace/channel.h"
#include "trace/plan.h"

namespace heddle {

struct Reply {
  enum class Kind {
    kDone,     // `records` holds at least one run
    kDied,     // the worker ended in the middle; see `text`
    kDamaged,  // a run wrote over the shared memory; see `text`
    kStopped,  // the caller's stop flag was raised, or the order's time was over
  };
  Kind kind = Kind::kDone;
  std::vector<RunRecord> records;
  std::vector<PairCoverage> coverage;  // by record; empty unless wanted
  std::optional<OwnedTrace> trace;     // of the last run: when wanted, or when it did not pass
  std::vector<SiteRef> new_sites;      // that the last run saw
  std::vector<Sighting> sightings;     // of the worker so far; the records name them by index
  std::vector<UncontrolledRecord> uncontrolled;  // since the worker started
  std::string output;                            // of the last run, bounded, when it did not pass
  CheckpointReply checkpoints;
  std::uint32_t shared_places = 0;  // of the worker's runs so far: Channel::shared_places
  std::string shared_file;
  std::string text;
};

// What a search inside the worker did in one hand-over.
struct SearchReply {
  Reply last;
  SearchReport report;
  std::vector<std::uint64_t> classes;  // a class hash for each of report.runs
  std::string state;                   // when it was saved
  std::string skipped;                 // why, when the body asked to be skipped
};

// How a worker ended that was never asked to.
struct WorkerDeath {
  bool attached = false;  // heddle's runtime was in it
  int status = 0;         // exit status
  int signal = 0;         // that ended it; 0 = it exited
  std::string output;     // what it printed, bounded
  Failure failure;        // as the runtime saw it; kNone when it did not
};

// Not thread-safe, and bound to the thread that starts it: the worker dies when that thread ends.
class WorkerProcess {
 public:
  // Returns when the worker waits for its first order, or is dead: see death(). An Error is the
  // machine's fault or ours to explain (it can't be executed, the runtime can't be loaded).
  static Result<std::unique_ptr<WorkerProcess>> Start(const Invocation& invocation,
                                                      const WorkerOptions& options,
                                                      const std::atomic<bool>* stop = nullptr);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Set when the program ended before it could make a run, and after a Reply of kDied.
  const std::optional<WorkerDeath>& death() const { return death_; }

  // Blocks until the runs are made, or something went wrong. After anything but kDone the worker is
  // gone.
  Reply Run(const Order& order, const std::atomic<bool>* stop = nullptr);

  // The same for an order with a search. kDone: `records` holds the run that ended the search's
  // process, or nothing.
  SearchReply Search(const Order& order, const std::atomic<bool>* stop = nullptr);
  // What bodies said with heddle::Outcome() since the worker started.
  std::vector<OutcomeRecord> Outcomes() const;

  std::span<const ModuleRecord> modules() const { return modules_; }
  bool aslr_is_on() const { return aslr_is_on_; }
  // The one asked for, or the baton where fibers are impossible.
  Backend backend() const { return options_.backend; }
  pid_t pid() const { return pid_; }

 private:
  enum class Wait { kTurn, kDied, kStopped, kHung };
  enum class Killed { kNo, kHung, kMemory };

  WorkerProcess(const WorkerOptions& options, ChannelEnd end)
      : options_(options),
        end_(std::move(end)),
        source_(options.source != nullptr ? options.source : ProgramSource()),
        channel_(end_.channel()) {}
  // `order` is the run's that is waited for; nullptr: the worker gets ready.
  Wait AwaitTurn(const std::atomic<bool>* stop, const Order* order);
  // Whether what died belongs to another heddle.
  bool IsStranger() const;
  // Whether it had ended; fills death_.
  bool Reap(int flags);
  void KillGroup();
  void KillRun(Killed why);
  // The running child, when the shared memory names one that is truly ours; 0 otherwise.
  pid_t RunPid() const;
  bool OverMemory() const;
  // Nothing: the runs are made, see Collect.
  std::optional<Reply> Await(const Order& order, const std::atomic<bool>* stop);
  Reply Collect(const Order& order);
  Status CollectSites(Reply* reply);
  // Completes what a run that was ended from outside could not say itself.
  Status CompleteRecord(RunRecord* last);
  Reply Lost(Reply::Kind kind, std::string text);
  Status RefreshModules();

  WorkerOptions options_;
  ChannelEnd end_;
  WorkerSource* const source_;
  OutputFile output_;
  Channel* const channel_;
  pid_t pid_ = -1;
  bool aslr_is_on_ = false;
  Killed killed_ = Killed::kNo;
  std::vector<ModuleRecord> modules_;
  std::optional<WorkerDeath> death_;
};

// "was killed by SIGSEGV", "exited with status 3".
std::string Describe(const WorkerDeath& death);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_WORKER_H_
