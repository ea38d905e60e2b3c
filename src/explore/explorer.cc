#include "explore/explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "explore/children.h"
#include "explore/examiner.h"
#include "explore/library_loop.h"
#include "explore/replayer.h"
#include "explore/run_loop.h"
#include "explore/search_state.h"
#include "explore/temporary.h"
#include "report/suppressions.h"
#include "trace/unseen_thread.h"

namespace heddle {
namespace {

// With --keep-going a search may find hundreds of failures; each costs some runs to examine.
constexpr std::size_t kMostFindings = 50;

// The program ended before main: there is a failure, but no schedule to it.
Explored::Found BeforeMain(const WorkerDeath& death, const Invocation& invocation,
                           const ExploreOptions& options) {
  const OwnedTrace trace = TraceOf(death);
  FindingContext context = ContextOf(invocation, options);
  context.output = death.output;
  context.first_run = 1;
  context.replayed = true;  // every worker that starts repeats it
  context.schedule_dependent = false;
  const std::unique_ptr<Symbolizer> symbols = MakeSymbolizer({});
  Explored::Found found;
  found.finding = BuildFinding(trace.View(), *symbols, context);
  found.schedule = MakeSchedule(trace.View(), *symbols, {}, found.finding);
  return found;
}

// Two pairs of instructions may be one pair of source lines.
void AddFound(Explored::Found found, std::vector<Explored::Found>* all) {
  if (IsTheLibrarysOwn(found.finding)) return;
  for (Explored::Found& other : *all) {
    if (other.finding.fingerprint != found.finding.fingerprint) continue;
    other.finding.hits = std::max(other.finding.hits, found.finding.hits);
    return;
  }
  all->push_back(std::move(found));
}

// That locks could be taken in opposite orders says nothing new beside the deadlock that it leads
// to.
void DropWhatDeadlocksSay(std::vector<Explored::Found>* all) {
  const auto is_told = [all](const Explored::Found& found) {
    if (found.finding.kind != FindingKind::kLockOrder) return false;
    return std::any_of(all->begin(), all->end(), [&found](const Explored::Found& other) {
      if (other.finding.kind != FindingKind::kDeadlock) return false;
      const std::vector<FindingSite>& told = other.finding.sites;
      return std::any_of(found.finding.sites.begin(), found.finding.sites.end(),
                         [&told](const FindingSite& site) {
                           return std::find(told.begin(), told.end(), site) != told.end();
                         });
    });
  };
  std::vector<Explored::Found> left;
  for (Explored::Found& found : *all) {
    if (!is_told(found)) left.push_back(found);
  }
  *all = std::move(left);
}

// Failures, then what runs survived, then warnings; by first run, and in any case always the same.
bool ComesBefore(const Explored::Found& a, const Explored::Found& b) {
  const auto rank = [](const Finding& finding) {
    return std::tuple(finding.severity, finding.kind == FindingKind::kRace, finding.first_run,
                      finding.kind, finding.fingerprint);
  };
  return rank(a.finding) < rank(b.finding);
}

// `loop` is what such a run was at.
void AddCutOff(const Ledger& ledger, const ExploreOptions& options, const std::string& loop,
               Explored* result) {
  if (ledger.step_limited() == 0) return;
  result->is_in_doubt = true;
  if (ledger.WasCutOffAlone()) {
    result->notes.push_back(
        fmt::format("The run was cut off after {} events, before the program started a thread: "
                    "nothing was searched; raise --max-steps.",
                    options.worker.max_steps));
    return;
  }
  result->notes.push_back(fmt::format(
      "{} of {} runs were cut off after {} events{}; raise --max-steps if the program needs "
      "more{}.",
      ledger.step_limited(), ledger.runs(), options.worker.max_steps,
      loop.empty() ? "" : ". In one of them " + loop,
      loop.empty() ? ", or look for a loop that waits without blocking"
                   : "; if it waits there for something that never comes, that is a livelock"));
}

void AddNotes(const SearchOutcome& outcome, Explored* result) {
  const Ledger& ledger = outcome.ledger;
  std::set<std::string> notes = outcome.notes;
  notes.insert(outcome.remarks.begin(), outcome.remarks.end());
  result->notes.assign(notes.begin(), notes.end());
  result->is_in_doubt =
      !outcome.notes.empty() || !outcome.uncontrolled.empty() || ledger.diverged() != 0;
  result->checkpoints = outcome.checkpoints;
  if (ledger.runs() == 0 && outcome.stopped_by == StoppedBy::kTime) {
    result->notes.push_back(
        "No run came to its end in that time: nothing is known of the program. Give it more.");
    result->is_in_doubt = true;
  }
  if (ledger.diverged() != 0) {
    result->notes.push_back(
        fmt::format("{} runs did not follow the schedule they were given: something in the program "
                    "is not under heddle's control.",
                    ledger.diverged()));
  }
}

// A correct program may wait for what nobody scheduled.
void AddUnseenThreads(Explored* result) {
  const auto waits = [](const Explored::Found& found) {
    return found.finding.kind == FindingKind::kDeadlock ||
           found.finding.kind == FindingKind::kLivelock;
  };
  if (std::none_of(result->found.begin(), result->found.end(), waits)) return;
  for (const Uncontrolled& entry : result->uncontrolled) {
    if (entry.effect != kStartsUnseenThread) continue;
    result->notes.push_back(fmt::format(
        "What waits for ever here may wait for a thread that heddle does not schedule ({}{}{}).",
        entry.what, entry.site.empty() ? "" : " at ", entry.site));
    return;
  }
}

// What only ever failed behind another failure.
void AddLater(std::vector<Failing> later, Examiner* examiner, std::vector<Failing>* failures,
              std::vector<std::string>* notes) {
  for (const Failing& failing : later) {
    if (failures->size() >= kMostFindings) return;
    std::optional<Failing> first = examiner->MakeFirst(failing);
    if (!first) {
      const Failure& failure = failing.first.trace.failure;
      const bool is_reported =
          std::any_of(failures->begin(), failures->end(), [&failure](const Failing& other) {
            const Failure& known = other.first.trace.failure;
            return known.kind == failure.kind && known.line == failure.line &&
                   std::string_view(known.message) == failure.message;
          });
      if (is_reported || failure.kind != FailureKind::kAssertion) continue;
      notes->push_back(fmt::format(
          "Behind a failure another thread fails, too, and was not seen to fail without "
          "it: `{}` at {}:{}. Mend the first to see it by itself.",
          failure.message, failure.file, failure.line));
      continue;
    }
    const bool is_known =
        std::any_of(failures->begin(), failures->end(), [&first](const Failing& other) {
          return other.first.fingerprint == first->first.fingerprint;
        });
    if (!is_known) failures->push_back(std::move(*first));
  }
}

// In process while that works, otherwise in a process for each run.
Result<SearchOutcome> SearchAll(const Invocation& invocation, ExploreOptions* options,
                                const std::string& temporary, const std::atomic<bool>& interrupt,
                                const ProgressFunction& progress, const FailureFunction& examine,
                                const PassOverFunction& passes_over) {
  std::string note;
  if (options->worker.isolation == Isolation::kInProcess) {
    LibraryLoop loop(invocation, *options, temporary);
    Result<SearchOutcome> searched = loop.Run(interrupt, progress);
    if (!searched || !(searched->leaks_state || searched->fails_at_once)) return searched;
    if (searched->leaks_state) {
      note = fmt::format(
          "The body leaves something behind for its next run: {}. Each run was made in a process "
          "of its own instead, which is slow; reset what it changes (globals, static locals), or "
          "say so: .isolation = heddle::kProcess.",
          searched->leak);
    }
    options->worker.isolation = Isolation::kProcess;
    options->seconds = std::max(1.0, options->seconds - searched->seconds);
    // It hung, perhaps: then it will again, and the rest of the time must do for that.
    if (searched->fails_at_once) {
      options->worker.hang_seconds =
          std::min(options->worker.hang_seconds, std::max(1.0, options->seconds / 4));
    }
  }
  RunLoop loop(invocation, *options, temporary);
  Result<SearchOutcome> searched = loop.Run(interrupt, progress, examine, passes_over);
  if (searched && !note.empty()) {
    searched->leaks_state = true;
    searched->notes.insert(note);
  }
  return searched;
}

// Of several workers, as one list.
std::vector<OutcomeRecord> Merge(const std::vector<OutcomeRecord>& outcomes) {
  std::vector<OutcomeRecord> merged;
  for (const OutcomeRecord& outcome : outcomes) {
    const auto known = std::find_if(merged.begin(), merged.end(), [&](const OutcomeRecord& other) {
      return std::string_view(other.text) == outcome.text;
    });
    if (known == merged.end()) {
      merged.push_back(outcome);
    } else {
      known->count += outcome.count;
    }
  }
  std::stable_sort(
      merged.begin(), merged.end(),
      [](const OutcomeRecord& a, const OutcomeRecord& b) { return a.count > b.count; });
  return merged;
}

}  // namespace

std::string_view NameOf(StoppedBy stopped_by) {
  switch (stopped_by) {
    case StoppedBy::kFinding:
      return "finding";
    case StoppedBy::kRuns:
      return "runs";
    case StoppedBy::kTime:
      return "time";
    case StoppedBy::kComplete:
      return "complete";
    case StoppedBy::kInterrupted:
      return "interrupted";
  }
  return "";
}

Result<Explored> Explore(const Invocation& invocation_in, const ExploreOptions& options_in,
                         const std::atomic<bool>& interrupt, const ProgressFunction& progress) {
  Result<TemporaryDirectory> temporary = TemporaryDirectory::Make();
  if (!temporary) return temporary.error();
  const double started = MonotonicSeconds();
  Invocation invocation = invocation_in;
  ExploreOptions options = options_in;
  // Failures are examined while the search goes on, if it does; the search comes to its end
  // meanwhile.
  std::vector<Explored::Found> examined;
  const auto examine_early = [&](const Failing& failing) {
    Invocation same = invocation;  // a copy: workers start from the original meanwhile
    if (same.build_id.empty() && !failing.first.modules.empty()) {
      same.build_id = BuildIdText(failing.first.modules[0]);
    }
    // Beside the directories of the workers, which go on.
    const std::string directory = fmt::format("{}/{:04}", temporary->path(), options.workers);
    return Examiner(same, options, directory, nullptr).Examine(failing, {});
  };
  const auto examine = [&](const Failing& failing) {
    if (examined.size() >= kMostFindings) return;
    Explored::Found found = examine_early(failing);
    // Why one does not replay may only be known at the end.
    if (!found.finding.replayed) return;
    if (options.on_found) options.on_found(found);
    examined.push_back(std::move(found));
  };
  const auto pass_over = [&](const FailedRun& failed) {
    Explored::Found found = examine_early({.first = failed});
    const bool passes = options.passes_over(found.finding);
    if (found.finding.replayed && examined.size() < kMostFindings) {
      examined.push_back(std::move(found));
    }
    return passes;
  };
  const bool may_pass_over = options.passes_over && !options.keep_going;
  Result<SearchOutcome> searched =
      SearchAll(invocation, &options, temporary->path(), interrupt, progress,
                options.keep_going ? examine : FailureFunction(),
                may_pass_over ? pass_over : PassOverFunction());
  if (!searched) return searched.error();

  const Ledger& ledger = searched->ledger;
  Explored result;
  result.runs = ledger.runs();
  result.blocked_runs = ledger.blocked() + searched->blocked_when_learnt;
  result.step_limited_runs = ledger.step_limited();
  result.diverged_runs = ledger.diverged();
  result.voided_runs = ledger.voided();
  result.events = ledger.events();
  result.classes = ledger.classes().Count();
  result.classes_exact = ledger.classes().IsExact();
  result.complete = searched->complete;
  result.estimated_runs = searched->estimated_runs;
  if (result.estimated_runs.runs > 0 && ledger.runs() > 0) {
    const auto time_of_rest = [&](double runs) {
      const double left = std::max(0.0, runs - static_cast<double>(searched->runs_learnt));
      return left * searched->seconds / static_cast<double>(ledger.runs());
    };
    result.time_left = {.seconds = time_of_rest(result.estimated_runs.runs),
                        .low = time_of_rest(result.estimated_runs.low),
                        .high = time_of_rest(result.estimated_runs.high)};
  }
  result.starts_no_thread = ledger.StartsNoThread();
  result.leaks_state = searched->leaks_state;
  result.skipped = searched->skipped;
  result.outcomes = Merge(searched->outcomes);
  result.stopped_by = searched->stopped_by;
  result.aslr_is_on = searched->aslr_is_on;
  result.backend = searched->backend;
  result.uncontrolled = std::move(searched->uncontrolled);
  if (!searched->modules.empty()) result.build_id = BuildIdText(searched->modules[0]);
  if (invocation.build_id.empty()) invocation.build_id = result.build_id;
  result.modules = std::move(searched->modules);
  AddNotes(*searched, &result);

  if (searched->before_main) {
    const WorkerDeath& death = *searched->before_main;
    result.runs = 1;
    result.starts_no_thread = true;
    if (death.signal != 0 || death.status != options.expected_exit) {
      result.stopped_by = StoppedBy::kFinding;
      result.found.push_back(BeforeMain(death, invocation, options));
    }
  }

  const bool has_passed_over =
      std::any_of(ledger.failures().begin(), ledger.failures().end(),
                  [](const Failing& failing) { return !failing.first.ends_search; });
  const bool ends_at_first = result.stopped_by == StoppedBy::kFinding && !has_passed_over;
  const StoppingRule rule = ends_at_first ? StoppingRule::kFirstHit : StoppingRule::kBudget;
  const std::uint64_t samples = ledger.samples().runs();
  if (options.strategy.info->samples && samples > 0 && !result.starts_no_thread &&
      !result.complete && !ledger.WasCutOffAlone()) {
    result.verdict = ledger.samples().Judge(rule);
  }

  std::vector<Failing> failures = searched->ledger.TakeFailures();
  std::sort(failures.begin(), failures.end(),
            [](const Failing& a, const Failing& b) { return a.first.plan.run < b.first.plan.run; });
  const bool goes_on = options.keep_going || result.stopped_by != StoppedBy::kFinding;
  if (!goes_on) {
    const auto last = std::find_if(failures.begin(), failures.end(), [](const Failing& failing) {
      return failing.first.ends_search;
    });
    if (last != failures.end()) failures.erase(last + 1, failures.end());
  }
  // A second Ctrl-C ends the process; the first one still lets the findings be examined.
  Examiner examiner(invocation, options, temporary->path() + "/0000", nullptr);
  AddCutOff(ledger, options,
            searched->cut_off
                ? examiner.DescribeCutOff(searched->cut_off->plan, searched->cut_off->points)
                : std::string(),
            &result);
  if (goes_on) {
    AddLater(searched->ledger.TakeLater(), &examiner, &failures, &result.notes);
  }
  if (failures.size() > kMostFindings) {
    result.notes.push_back(
        fmt::format("{} different failures were seen; the first {} are reported.", failures.size(),
                    kMostFindings));
    failures.resize(kMostFindings);
  }
  if (ledger.sightings().size() >= kMaxSightings) {
    result.notes.push_back(
        fmt::format("A worker keeps the first {} data races and lock orders it sees: there may be "
                    "more of them.",
                    kMaxSightings));
  }
  std::vector<Failing> sightings = searched->ledger.TakeSightings();
  std::move(sightings.begin(), sightings.end(), std::back_inserter(failures));
  for (const Failing& failing : failures) {
    if (progress) {
      progress({.runs = result.runs,
                .events = result.events,
                .classes = result.classes,
                .findings = failures.size(),
                .seconds = MonotonicSeconds() - started,
                .phase = "replaying"});
    }
    const auto early =
        std::find_if(examined.begin(), examined.end(), [&failing](const Explored::Found& found) {
          return found.finding.fingerprint == failing.first.fingerprint &&
                 found.finding.first_run == failing.first.plan.run;
        });
    Explored::Found found = early == examined.end() ? examiner.Examine(failing, result.uncontrolled)
                                                    : std::move(*early);
    found.finding.hits = failing.hits;
    found.ratio = MeasureHits(failing.counted_hits, samples, rule);
    AddFound(std::move(found), &result.found);
  }
  DropWhatDeadlocksSay(&result.found);
  AddUnseenThreads(&result);
  std::stable_sort(result.found.begin(), result.found.end(), ComesBefore);
  EndOrphans();
  result.seconds = MonotonicSeconds() - started;
  return result;
}

}  // namespace heddle
