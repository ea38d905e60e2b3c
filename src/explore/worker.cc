#include "explore/worker.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/check.h"
#include "base/clock.h"
#include "explore/children.h"
#include "explore/launch.h"
#include "report/failure_text.h"

namespace heddle {
namespace {

constexpr double kTick = 0.02;  // how often a waiting controller looks at its worker
constexpr double kLongestLook = 5 * kTick;
constexpr double kDumpSeconds = 3;   // for a hung run to tell where it is
constexpr double kNotGettingOn = 1;  // without an event, of a run whose time is over
constexpr double kReapSeconds = 10;  // for a worker to notice that its run was killed
constexpr std::uint32_t kKilledAsHung = 1;
constexpr std::uint32_t kKilledForMemory = 2;

// How long something has been waited for, as far as this process was there to see it: on a machine
// that has no time for either of us the other side is slow, not hung.
class Patience {
 public:
  void Look() {
    const double now = MonotonicSeconds();
    waited_ += std::min(now - last_look_, kLongestLook);
    last_look_ = now;
  }
  void Reset() { waited_ = 0; }
  double waited() const { return waited_; }

 private:
  double waited_ = 0;
  double last_look_ = MonotonicSeconds();
};

// What a run takes of the processor without getting on. Who sleeps takes none and is not asked:
// that would wake it.
class Busyness {
 public:
  // True: it should be asked whether it waits for something.
  bool Look(pid_t run) {
    constexpr double kMostSeconds = 0.2;
    const double used = run == 0 ? 0 : ProcessorSecondsOf(run);
    if (run != run_) since_ = used;
    run_ = run;
    if (used - since_ < kMostSeconds) return false;
    since_ = used;
    return true;
  }
  void Reset() { run_ = 0; }

 private:
  pid_t run_ = 0;
  double since_ = 0;
};

// A run handles it by writing the stacks of its threads into the channel; while it is not to be
// ended, by looking what it is at (runtime/scheduler/unseen_wait.h).
int DumpSignal() { return SIGRTMAX - 3; }

bool Passed(const RunRecord& record) {
  return record.outcome == RunOutcome::kExited && record.status == 0;
}

}  // namespace

std::string Describe(const WorkerDeath& death) {
  if (death.signal != 0) return "was killed by " + SignalName(death.signal);
  return fmt::format("exited with status {}", death.status);
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(const Invocation& invocation,
                                                            const WorkerOptions& options,
                                                            const std::atomic<bool>* stop) {
  Result<ChannelEnd> end = ChannelEnd::Make(options, STDOUT_FILENO);
  if (!end) return end.error();
  if (Status set = end->SetStart(options.scope, invocation.program); !set) return set.error();
  std::unique_ptr<WorkerProcess> worker(new WorkerProcess(options, std::move(*end)));
  Result<OutputFile> output = OutputFile::Make();
  if (!output) return output.error();
  worker->output_ = std::move(*output);
  Result<Descriptor> input = MemoryFileWith("heddle-input", invocation.stdin_contents);
  if (!input) return input.error();
  std::error_code error;
  std::filesystem::create_directories(options.temporary, error);
  if (error) {
    return Error{fmt::format("cannot make {}: {}; set TMPDIR to a directory that can be written",
                             options.temporary, error.message())};
  }

  const LaunchSettings settings{.preload = options.preload,
                                .temporary = options.temporary,
                                .channel = worker->end_.descriptor(),
                                .input = input->get(),
                                .output = worker->output_.descriptor()};
  const Result<Launched> launched = worker->source_->Start(invocation, settings);
  if (!launched) return launched.error();
  worker->pid_ = launched->pid;
  worker->aslr_is_on_ = launched->aslr_is_on;

  switch (worker->AwaitTurn(stop, nullptr)) {
    case Wait::kTurn:
      break;
    case Wait::kDied:
      if (worker->IsStranger()) {
        return Error{fmt::format(
            "{} was built with another heddle ({} differs from this one's): build it again",
            invocation.program,
            worker->channel_->stranger.load() == Stranger::kHooks
                ? "what was compiled into it"
                : "the engine it was linked with")};
      }
      if (!worker->death_->attached && worker->death_->signal == 0) {
        return Error{fmt::format("{} {} without having loaded heddle's runtime{}{}",
                                 invocation.program, Describe(*worker->death_),
                                 worker->death_->output.empty() ? "" : "; it said:\n",
                                 worker->death_->output)};
      }
      return worker;
    case Wait::kStopped:
      worker->KillGroup();
      return Error{"interrupted"};
    case Wait::kHung:
      worker->KillGroup();
      return Error{
          fmt::format("{} did not get to main within {:g} s; if its constructors need "
                      "longer, raise --hang-time",
                      invocation.program, options.hang_seconds)};
  }
  if (Status modules = worker->RefreshModules(); !modules) return modules.error();
  if (Status set = worker->end_.SetScope(options.scope, worker->modules_); !set) return set.error();
  if (worker->channel_->config.backend == Backend::kBaton) {
    worker->options_.backend = Backend::kBaton;
  }
  return worker;
}

// Engines from before it was asked found the version wrong and called that a bug.
bool WorkerProcess::IsStranger() const {
  constexpr int kBug = 70;
  return channel_->stranger.load() != Stranger::kNone ||
         (!death_->attached && death_->signal == 0 && death_->status == kBug);
}

WorkerProcess::~WorkerProcess() {
  KillGroup();
  std::error_code ignored;
  if (!options_.temporary.empty()) std::filesystem::remove_all(options_.temporary, ignored);
}

bool WorkerProcess::Reap(int flags) {
  if (pid_ == -1) return true;
  int status = 0;
  if (source_->Wait(pid_, &status, flags) == 0) return false;
  WorkerDeath death;
  death.attached = channel_->worker_pid.load() != 0 || channel_->module_count != 0;
  death.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  death.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  // The offset is shared with the program: it tells how much was written since the last rewind.
  death.output = output_.Text();
  // Of a run, if any was made; the runtime catches a crash in a constructor the same way.
  death.failure = CopyFailure(*channel_);
  if (death.failure.kind != FailureKind::kNone && death.signal == 0) {
    death.signal = death.failure.signal;
  }
  death_ = std::move(death);
  // What it left running goes with it.
  kill(-pid_, SIGKILL);
  pid_ = -1;
  return true;
}

void WorkerProcess::KillGroup() {
  if (pid_ == -1) return;
  if (const pid_t run = RunPid(); run != 0) kill(run, SIGKILL);
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  Reap(0);
}

pid_t WorkerProcess::RunPid() const {
  const pid_t run = channel_->run_pid.load();
  // Between the worker and the run there may be checkpoints.
  pid_t parent = run > 1 && pid_ > 1 ? ParentOf(run) : 0;
  for (std::uint32_t i = 0; i < kMaxCheckpoints && parent > 1 && parent != pid_; ++i) {
    parent = ParentOf(parent);
  }
  return parent > 1 && parent == pid_ ? run : 0;
}

bool WorkerProcess::OverMemory() const {
  const pid_t run = RunPid();
  if (run == 0) return false;
  std::ifstream file(fmt::format("/proc/{}/statm", run));
  std::uint64_t size = 0, resident = 0, shared = 0;
  if (!(file >> size >> resident >> shared) || shared > resident) return false;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return (resident - shared) * page > options_.memory_bytes;
}

void WorkerProcess::KillRun(Killed why) {
  killed_ = why;
  channel_->killed_by_watchdog = why == Killed::kMemory ? kKilledForMemory : kKilledAsHung;
  const pid_t run = RunPid();
  if (run == 0) {
    KillGroup();
    return;
  }
  if (why == Killed::kHung) {
    kill(run, DumpSignal());
    Patience patience;
    while (channel_->turn.load() == Turn::kWorker && RunPid() == run &&
           patience.waited() < kDumpSeconds) {
      end_.SleepWhile(Turn::kWorker, kTick);
      patience.Look();
    }
  }
  if (RunPid() == run) kill(run, SIGKILL);
}

WorkerProcess::Wait WorkerProcess::AwaitTurn(const std::atomic<bool>* stop, const Order* order) {
  const bool in_run = order != nullptr;
  const double hang_seconds =
      in_run && order->hang_seconds > 0 ? order->hang_seconds : options_.hang_seconds;
  const auto progress = [this] {
    return std::pair(channel_->run_now.load(), channel_->heartbeat.load());
  };
  auto last = progress();
  Patience patience;
  Busyness busyness;
  while (true) {
    const Turn turn = channel_->turn.load();
    if (turn == Turn::kController) return Wait::kTurn;
    end_.SleepWhile(turn, kTick);
    if (channel_->turn.load() == Turn::kController) return Wait::kTurn;
    if (Reap(WNOHANG)) return Wait::kDied;
    if (stop != nullptr && stop->load()) return Wait::kStopped;
    output_.KeepEnds();

    patience.Look();
    if (killed_ != Killed::kNo) {
      if (patience.waited() > kDumpSeconds + kReapSeconds) {
        KillGroup();
        return Wait::kDied;
      }
      continue;
    }
    if (const auto next = progress(); next != last) {
      last = next;
      patience.Reset();
      busyness.Reset();
    } else if (in_run && busyness.Look(RunPid())) {
      if (const pid_t run = RunPid(); run != 0) kill(run, DumpSignal());
    }
    const bool hung = patience.waited() > hang_seconds;
    if (!in_run) {
      if (hung) return Wait::kHung;
      continue;
    }
    // The first run may take its time: without it nothing is known.
    const bool is_late =
        order->until > 0 && channel_->run_now.load() > 1 && MonotonicSeconds() > order->until;
    if (is_late && patience.waited() > kNotGettingOn) return Wait::kStopped;
    if (hung || OverMemory()) {
      patience.Reset();
      KillRun(hung ? Killed::kHung : Killed::kMemory);
      if (pid_ == -1) return Wait::kDied;
    }
  }
}

std::optional<Reply> WorkerProcess::Await(const Order& order, const std::atomic<bool>* stop) {
  HEDDLE_CHECK(pid_ != -1);
  killed_ = Killed::kNo;
  end_.Post(order);
  switch (AwaitTurn(stop, &order)) {
    case Wait::kTurn:
      break;
    case Wait::kStopped:
      return Lost(Reply::Kind::kStopped, "interrupted");
    case Wait::kDied:
    case Wait::kHung:
      if (Status header = CheckHeader(*channel_, end_.facts()); !header) {
        return Lost(Reply::Kind::kDamaged, header.error().text);
      }
      return Lost(Reply::Kind::kDied,
                  fmt::format("the process that makes the runs {}", Describe(*death_)));
  }
  return std::nullopt;
}

Reply WorkerProcess::Run(const Order& order, const std::atomic<bool>* stop) {
  const double posted = MonotonicSeconds();
  if (std::optional<Reply> reply = Await(order, stop)) return std::move(*reply);
  const double seconds = MonotonicSeconds() - posted;
  Reply reply = Collect(order);
  if (reply.kind == Reply::Kind::kDone) {
    reply.checkpoints = CopyCheckpoints(*channel_, reply.records.back());
    reply.checkpoints.seconds = seconds;
  }
  return reply;
}

SearchReply WorkerProcess::Search(const Order& order, const std::atomic<bool>* stop) {
  SearchReply reply;
  if (std::optional<Reply> lost = Await(order, stop)) {
    reply.last = std::move(*lost);
    return reply;
  }
  Result<SearchProgress> progress = CopySearch(channel_, end_.facts());
  if (!progress) {
    reply.last = Lost(Reply::Kind::kDamaged, progress.error().text);
    return reply;
  }
  reply.report = progress->report;
  reply.classes = std::move(progress->classes);
  reply.state = std::move(progress->state);
  reply.skipped = std::move(progress->skipped);
  if (channel_->record_count != 0) {
    reply.last = Collect(order);
  } else if (Status sites = CollectSites(&reply.last); !sites) {
    reply.last = Lost(Reply::Kind::kDamaged, sites.error().text);
  }
  return reply;
}

std::vector<OutcomeRecord> WorkerProcess::Outcomes() const { return CopyOutcomes(*channel_); }

Status WorkerProcess::CollectSites(Reply* reply) {
  if (Status modules = RefreshModules(); !modules) return modules.error();
  auto sites = CopyNewSites(channel_, end_.facts(), modules_.size());
  if (!sites) return sites.error();
  reply->new_sites = std::move(*sites);
  auto uncontrolled = CopyUncontrolled(*channel_);
  if (!uncontrolled) return uncontrolled.error();
  reply->uncontrolled = std::move(*uncontrolled);
  return {};
}

Reply WorkerProcess::Lost(Reply::Kind kind, std::string text) {
  KillGroup();
  Reply reply;
  reply.kind = kind;
  reply.text = std::move(text);
  return reply;
}

Status WorkerProcess::CompleteRecord(RunRecord* last) {
  // The kill may have come too late: then the run ended by itself. One that failed and went on
  // without the thread at fault, into a hang, is the failure's.
  const bool went_on = last->outcome == RunOutcome::kFailed && last->ran_on != 0;
  const bool has_ended = last->outcome == RunOutcome::kExited || went_on;
  const bool was_killed = killed_ != Killed::kNo && !has_ended;
  if (!was_killed && last->outcome != RunOutcome::kNone) return {};
  if (!was_killed && last->signal == 0) {
    return Error{"a run could not be forked; the machine is out of memory or of processes"};
  }
  // What the run itself asks for it says before it ends. One that was ended by somebody else before
  // it had a second thread shows nothing, least of all that it has only one.
  if (!was_killed && last->signal == SIGKILL && channel_->thread_count <= 1) {
    return Error{
        "a run was killed by SIGKILL from outside before it had started a thread; perhaps the "
        "machine is out of memory"};
  }
  last->outcome = RunOutcome::kFailed;
  last->failure = FailureKind::kCrash;
  if (killed_ == Killed::kMemory) last->failure = FailureKind::kMemoryLimit;
  if (killed_ == Killed::kHung) last->failure = FailureKind::kWatchdog;
  last->events = std::max<std::uint64_t>(last->events, channel_->heartbeat.load());
  last->decisions = std::max<std::uint64_t>(last->decisions, channel_->decision_count);
  last->threads = std::clamp<std::uint32_t>(channel_->thread_count, 1, kMaxThreads);
  return {};
}

Reply WorkerProcess::Collect(const Order& order) {
  const auto damaged = [this](const Error& error) {
    return Lost(Reply::Kind::kDamaged, error.text);
  };
  Reply reply;
  if (Status header = CheckHeader(*channel_, end_.facts()); !header) return damaged(header.error());
  const bool of_search = order.search != nullptr;
  auto records = CopyRecords(*channel_, of_search ? channel_->run_now.load() : order.plan->run,
                             of_search ? 1 : order.runs);
  if (!records) return damaged(records.error());
  reply.records = std::move(*records);
  if (order.want_coverage) {
    // Any bits are valid ones.
    const auto* const area =
        AreaOf<PairCoverage>(channel_, LayoutFor(end_.facts().max_events).coverage);
    reply.coverage.assign(area, area + reply.records.size());
  }
  RunRecord& last = reply.records.back();
  if (Status completed = CompleteRecord(&last); !completed) {
    return Lost(Reply::Kind::kDied, completed.error().text);
  }

  auto sightings = CopySightings(*channel_);
  if (!sightings) return damaged(sightings.error());
  reply.sightings = std::move(*sightings);

  const bool passed = Passed(last) && last.new_sightings == 0;
  if (last.new_sites != 0 || !passed) {
    if (Status modules = RefreshModules(); !modules) return damaged(modules.error());
    auto sites = CopyNewSites(channel_, end_.facts(), modules_.size());
    if (!sites) return damaged(sites.error());
    reply.new_sites = std::move(*sites);
  }
  auto uncontrolled = CopyUncontrolled(*channel_);
  if (!uncontrolled) return damaged(uncontrolled.error());
  reply.uncontrolled = std::move(*uncontrolled);
  reply.shared_places = channel_->shared_places;
  reply.shared_file.assign(channel_->shared_file,
                           strnlen(channel_->shared_file, sizeof channel_->shared_file));

  if (!passed || order.detail || order.want_events) {
    auto trace = CopyTrace(channel_, end_.facts(), last, TraceParts::kEverything);
    if (!trace) return damaged(trace.error());
    if (trace->failure.kind != last.failure) {
      trace->failure = Failure();
      trace->failure.kind = last.failure;
      trace->failure.signal = last.signal;
      // Who ran last is the best guess of who was at it.
      trace->failure.thread = trace->events.empty() ? kMainThread : trace->events.back().thread;
    }
    if (last.ran_on != 0) trace->later = CopyLater(*channel_, *trace);
    reply.trace = std::move(*trace);
  }
  if (!passed || order.want_output) reply.output = output_.Text(last.output_bytes);
  return reply;
}

Status WorkerProcess::RefreshModules() {
  Result<std::vector<ModuleRecord>> modules = CopyModules(*channel_);
  if (!modules) return modules.error();
  modules_ = std::move(*modules);
  return {};
}

}  // namespace heddle
