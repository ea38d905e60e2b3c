// Makes a systematic search of a program and prints what every run left behind, one line each, so
// that two ways of making the same search can be compared.
//
//   list_runs STRATEGY CHECKPOINT MOST_RUNS PROGRAM ARGS…
//
// CHECKPOINT is off, on or auto. The last line says what checkpoints were used.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "explore/checkpoints.h"
#include "explore/children.h"
#include "explore/dispenser.h"
#include "explore/ledger.h"
#include "explore/temporary.h"
#include "explore/worker.h"
#include "strategy/registry.h"

namespace heddle {
namespace {

[[noreturn]] void Stop(const std::string& why) {
  fmt::print(stderr, "list_runs: {}\n", why);
  std::exit(3);
}

// Of all that the run recorded; addresses only where they are the same in every process.
std::uint64_t HashOf(const OwnedTrace& trace, bool with_addresses) {
  std::uint64_t hash = 0;
  const auto add = [&hash](std::uint64_t value) { hash = Mix(hash, value); };
  for (const DecisionRecord& decision : trace.decisions) {
    add(decision.event);
    add(decision.options << 16 | decision.chosen);
    add(decision.thread << 16 | decision.current);
    add(static_cast<std::uint64_t>(decision.kind) << 16 |
        static_cast<std::uint64_t>(decision.outcome) << 8 | decision.current_enabled);
    add(decision.among);
  }
  for (const Event& event : trace.events) {
    add(static_cast<std::uint64_t>(event.object) << 32 | event.thread << 16 | event.other);
    add(static_cast<std::uint64_t>(event.kind) << 32 | event.size << 16 | event.order << 8 |
        event.flags);
    if (!with_addresses) continue;
    add(event.site);
    add(event.value);
    add(event.context);
  }
  for (const ObjectRecord& object : trace.objects) {
    add(object.key);
    add(static_cast<std::uint64_t>(object.kind) << 32 | object.offset);
    if (with_addresses) add(object.address);
  }
  for (const ThreadRecord& thread : trace.threads) {
    add(thread.path_hash);
    add(static_cast<std::uint64_t>(thread.parent) << 32 | thread.nth_child << 16 |
        thread.ended << 8 | thread.enabled);
    add(static_cast<std::uint64_t>(thread.pending.object) << 16 |
        static_cast<std::uint64_t>(thread.pending.kind));
    add(HashText(std::string(thread.name, sizeof thread.name)));
  }
  return hash;
}

void Print(const Reply& reply, bool with_addresses) {
  const RunRecord& run = reply.records.back();
  fmt::print("{} class={:x} events={:x} outcome={} failure={} status={} signal={} n={}/{}/{} ",
             run.run, run.class_hash, run.event_hash, static_cast<int>(run.outcome),
             static_cast<int>(run.failure), run.status, run.signal, run.events, run.decisions,
             run.preemptions);
  fmt::print("threads={} seen={:x} new={}/{} early={} on={} trace={:x} output={:x}\n", run.threads,
             run.sightings, run.new_sites, run.new_sightings, run.early_timeout, run.ran_on,
             reply.trace ? HashOf(*reply.trace, with_addresses) : 0, HashText(reply.output));
}

int Main(const std::vector<std::string>& words) {
  if (words.size() < 5) Stop("list_runs STRATEGY CHECKPOINT MOST_RUNS PROGRAM ARGS…");
  const Result<StrategySpec> strategy = ParseStrategy(words[1]);
  if (!strategy) Stop(strategy.error().text);
  const auto mode = CheckpointModeByName(words[2]);
  if (!mode) Stop("CHECKPOINT is off, on or auto");
  const std::uint64_t most = std::strtoull(words[3].c_str(), nullptr, 10);
  Invocation invocation;
  invocation.program = words[4];
  invocation.arguments.assign(words.begin() + 5, words.end());
  invocation.working_directory = "/";
  invocation.stdin_contents = "a line of input\nand another one\n";

  AdoptOrphans();
  const Result<TemporaryDirectory> temporary = TemporaryDirectory::Make();
  if (!temporary) Stop(temporary.error().text);
  WorkerOptions options;
  options.temporary = temporary->path() + "/0000";
  auto worker = WorkerProcess::Start(invocation, options);
  if (!worker) Stop(worker.error().text);
  if ((*worker)->death()) Stop("the program ended before its first run");

  const std::unique_ptr<Search> search = strategy->info->make_search(
      {.seed = 1, .params = strategy->params, .runs = most, .estimates = true});
  Ledger ledger;
  const auto dispenser = MakeDispenser(search.get(), &ledger, {.runs = most, .keep_going = true});
  Checkpoints checkpoints(*mode);
  const PointSet* points = nullptr;
  std::vector<SiteRef> sites;
  while (const std::optional<Job> job = dispenser->Take(1)) {
    if (job->points.get() != points) {
      points = job->points.get();
      sites = points->For((*worker)->modules());
      checkpoints.Forget();
    }
    Reply reply = (*worker)->Run({.plan = &job->plan,
                                  .sites = sites,
                                  .want_events = true,
                                  .run_on = job->wants_whole,
                                  .want_output = true,
                                  .checkpoints = checkpoints.For(job->plan)});
    if (reply.kind != Reply::Kind::kDone) Stop(reply.text);
    Print(reply, !(*worker)->aslr_is_on());
    checkpoints.Made(job->plan, reply.trace->decisions, reply.checkpoints);
    std::vector<RunResult> results(1);
    results[0].record = reply.records.back();
    results[0].new_points = PointsOf(reply.new_sites, (*worker)->modules());
    results[0].trace = std::move(reply.trace);
    dispenser->Give(*job, std::move(results));
  }
  fmt::print("complete={} {}\n", search->Complete(), Describe(checkpoints.counts()));
  return 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) { return heddle::Main({argv, argv + argc}); }
