// `heddle run`: compile if need be, search, report.
#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/hash.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/each_test.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/run_report.h"
#include "cli/standard_input.h"
#include "cli/storing.h"
#include "cli/target.h"
#include "cli/triage.h"
#include "explore/children.h"
#include "explore/explorer.h"
#include "report/files.h"
#include "report/finding_store.h"
#include "strategy/registry.h"

namespace heddle {
namespace {

std::string StrategyHelp() {
  std::string text = "Strategies:\n";
  for (const StrategyInfo& info : Strategies()) {
    text += fmt::format("  {:<14}{}\n", info.name, info.summary);
    for (const StrategyParam& param : info.params) {
      text += fmt::format("  {:<14}  {}={}: {}\n", "", param.key, param.values, param.meaning);
    }
  }
  return text;
}

}  // namespace

void DescribeRun(CLI::App* app, RunWords* words) {
  app->add_flag("--show-races", words->show_races,
                "reachability: race sets, race table and diagram of the first run");
  app->add_option("--strategy", words->strategy, "how to choose schedules (default auto)")
      ->type_name("NAME[:key=value,…]");
  AddCountOption(app, "--runs", &words->runs, "most runs (default 10000)");
  app->add_option("--time", words->time, "most time: 90s, 10m (default 60s)")->type_name("TIME");
  AddCountOption(app, "--seed", &words->seed, "of everything random (default 1)");
  AddCountOption(app, "--workers", &words->workers,
                 "processes that make runs (default: one per core)");
  app->add_flag("--keep-going", words->keep_going, "search on after a failure and count hits");
  app->add_flag("--resume", words->resume,
                "go on with an exhaustive search of the same command that did not finish");
  app->add_flag("--each-test", words->each_test,
                "search every test case of a GoogleTest, Catch2 or doctest program by itself");
  app->add_option("--hapset", words->hapset,
                  "hapset: a file of orders of statements seen so far; read, used and added to")
      ->type_name("FILE");
  AddCountOption(app, "--max-steps", &words->max_steps, "events per run (default 1000000)");
  app->add_option("--points", words->points,
                  "where threads may be switched: sync, shared or all (default shared)")
      ->type_name("WHICH");
  app->add_option("--races", words->races, "on or off: look for data races (default on)")
      ->check(CLI::IsMember({"on", "off"}))
      ->type_name("WHEN");
  app->add_option("--timeouts", words->timeouts,
                  "any: a time-out may fire while others could run; idle: only when none can")
      ->type_name("WHEN");
  app->add_option("--focus", words->scope.focus,
                  "switch threads only in this FILE, FUNCTION or MODULE; may be given again")
      ->allow_extra_args(false)
      ->type_name("NAME");
  app->add_option("--ignore", words->scope.ignore,
                  "never switch threads in this FILE, FUNCTION or MODULE; may be given again")
      ->allow_extra_args(false)
      ->type_name("NAME");
  app->add_option("--start-at", words->scope.start_at,
                  "runs begin where this function is called first, after a costly set-up")
      ->type_name("FUNCTION");
  app->add_flag("--spurious-wakeups", words->scope.spurious_wakeups,
                "a wait for a condition may end for nothing, once per thread and run");
  app->add_option(
         "--reuse", words->reuse,
         "whether freed memory comes back at once: never, always or explore (default never)")
      ->type_name("WHEN");
  app->add_option("--backend", words->backend, "fiber or baton (default fiber)")->type_name("NAME");
  app->add_option("--checkpoint", words->checkpoint,
                  "whether a systematic search begins runs in the middle of earlier ones: auto "
                  "(where that is measured to be faster), on or off (default auto)")
      ->type_name("WHEN");
  app->add_option("--memory", words->memory, "most memory of a run (default 2G)")
      ->type_name("SIZE");
  app->add_option("--hang-time", words->hang_time,
                  "a run without an event for so long is stuck (default 10s)")
      ->type_name("TIME");
  app->add_flag("--strict", words->strict,
                "exit with 3 when the program does something heddle can't control");
  AddCountOption(app, "--expect-exit", &words->expect_exit, "the right exit status (default 0)");
  app->add_option("--expect-output", words->expect_output, "a file with the right output")
      ->type_name("FILE");
  app->add_option("--suppressions", words->triage.suppressions,
                  "findings not to report, as ThreadSanitizer's files say it")
      ->type_name("FILE");
  app->add_option("--baseline", words->triage.baseline,
                  "known findings: only new ones fail (the search goes on after a failure)")
      ->type_name("FILE");
  app->add_flag("--update-baseline", words->triage.update_baseline,
                "write what was found into the baseline");
  app->add_option("--fail-on", words->triage.fail_on,
                  "kinds of findings that give exit code 1 (default: all but warnings)")
      ->type_name("KINDS");
  app->add_option("--cxxflags", words->cxxflags, "for compiling sources")->type_name("FLAGS");
  app->add_option("--ldflags", words->ldflags, "for linking them")->type_name("FLAGS");
  app->add_option("--json", words->json, "write the result as JSON; - is standard output")
      ->type_name("FILE");
  AddOutOption(app, &words->out);
  AddColorOption(app, &words->color);
  SetUsage(
      app,
      "heddle run [options] SOURCE.c|.cc|.cpp… [-- ARGS…]    compile instrumented, then search\n"
      "heddle run [options] [--] PROGRAM ARGS…               a program that is already built");
  app->footer(StrategyHelp());
}

// As options; empty for all of the program.
static std::string DescribeScope(const Scope& scope) {
  std::string text;
  for (const std::string& name : scope.focus) text += " --focus=" + name;
  for (const std::string& name : scope.ignore) text += " --ignore=" + name;
  if (!scope.start_at.empty()) text += " --start-at=" + scope.start_at;
  if (scope.spurious_wakeups) text += " --spurious-wakeups";
  return text;
}

static int Cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

Result<ExploreOptions> Interpret(const RunWords& words) {
  ExploreOptions options;
  Result<StrategySpec> strategy = ParseStrategy(words.strategy);
  if (!strategy) return strategy.error();
  if (words.show_races) {
    if (strategy->info->name != "reachability") {
      return Error{
          "--show-races shows what reachability testing sees; add --strategy=reachability"};
    }
    strategy->params.emplace("show", "1");
  }
  if (!words.hapset.empty() && strategy->info->name != "hapset") {
    return Error{"--hapset keeps what the strategy hapset learns; add --strategy=hapset"};
  }
  const Result<double> seconds = ParseDuration(words.time);
  if (!seconds) return Error{"--time: " + seconds.error().text};
  const Result<double> hang = ParseDuration(words.hang_time);
  if (!hang) return Error{"--hang-time: " + hang.error().text};
  const Result<std::uint64_t> memory = ParseSize(words.memory);
  if (!memory) return Error{"--memory: " + memory.error().text};
  const auto points = PointsByName(words.points);
  if (!points) {
    return Error{fmt::format("--points {}: it is sync, shared or all", words.points)};
  }
  const auto timeouts = TimeoutsByName(words.timeouts);
  if (!timeouts) return Error{fmt::format("--timeouts {}: it is any or idle", words.timeouts)};
  const auto reuse = ReuseByName(words.reuse);
  if (!reuse) return Error{fmt::format("--reuse {}: it is never, always or explore", words.reuse)};
  const auto backend = BackendByName(words.backend);
  if (!backend) return Error{fmt::format("--backend {}: it is fiber or baton", words.backend)};
  const auto checkpoint = CheckpointModeByName(words.checkpoint);
  if (!checkpoint) {
    return Error{fmt::format("--checkpoint {}: it is auto, on or off", words.checkpoint)};
  }
  if (words.runs == 0) return Error{"--runs 0 would search nothing; give at least 1"};
  if (*seconds <= 0) return Error{"--time 0 would search nothing; give more"};
  if (*hang <= 0) return Error{"--hang-time 0 would end every run; give more"};
  if (words.max_steps == 0) return Error{"--max-steps 0 would end every run; give more"};
  if (words.workers < 0 || words.workers > 1024) {
    return Error{
        fmt::format("--workers {}: it is 1 to 1024, or 0 for one per core", words.workers)};
  }
  if (words.expect_exit < 0 || words.expect_exit > 255) {
    return Error{fmt::format("--expect-exit {}: an exit status is 0 to 255", words.expect_exit)};
  }
  options.strategy = *strategy;
  options.strategy_text = words.strategy;
  options.hapset_file = words.hapset;
  options.runs = words.runs;
  options.seconds = *seconds;
  options.seed = words.seed;
  options.workers = words.workers == 0 ? Cores() : words.workers;
  options.keep_going = words.keep_going;
  options.expected_exit = words.expect_exit;
  options.checkpoint = *checkpoint;
  options.worker.backend = *backend;
  options.worker.races = words.races == "on";
  options.worker.points = *points;
  options.worker.timeouts = *timeouts;
  options.worker.scope = words.scope;
  const auto await = strategy->params.find("await");
  options.worker.scope.awaits = await == strategy->params.end() || await->second != "off";
  options.worker.learns_loops = strategy->info->waits_once;
  options.worker.reuse = *reuse;
  options.worker.max_steps = words.max_steps;
  options.worker.max_events = std::min<std::uint64_t>(words.max_steps, 1u << 20);
  options.worker.memory_bytes = *memory;
  options.worker.hang_seconds = *hang;
  return options;
}

int RunCommandMain(const std::vector<std::string>& words_in) {
  RunWords words;
  CLI::App app("Searches the schedules of a program for one that fails.", "heddle run");
  DescribeRun(&app, &words);
  const Result<SplitCommand> split = SplitTarget(app, words_in);
  if (!split) return Complain(split.error().text, kExitUsage);
  if (const auto code = Parse(&app, split->options)) return *code;
  if (split->target.empty()) {
    return Complain("name a source or a program: heddle run prog.cpp, heddle run -- ./prog ARGS",
                    kExitUsage);
  }
  Result<ExploreOptions> options = Interpret(words);
  if (!options) return Complain(options.error().text, kExitUsage);
  if (!words.expect_output.empty()) {
    Result<std::string> expected = ReadWholeFile(words.expect_output);
    if (!expected) return Complain(expected.error().text, kExitEnvironment);
    options->expected_output = std::move(*expected);
  }
  const Result<Triage> triage = Triage::Make(words.triage);
  if (!triage) return Complain(triage.error().text, kExitUsage);
  // What is known must not hide what is new, nor what does not count what does.
  if (triage->NeedsAllFailures()) options->keep_going = true;
  if (triage->MayPassOverFailures()) {
    options->passes_over = [&triage](const Finding& failure) { return !triage->Counts(failure); };
  }
  for (const auto& [option, path] :
       {std::pair("--json", words.json), std::pair("--hapset", words.hapset),
        std::pair("--baseline", words.triage.update_baseline ? words.triage.baseline : "")}) {
    const Status is_writable = CheckOutputPath(option, path);
    if (!is_writable) return Complain(is_writable.error().text, kExitEnvironment);
  }
  Result<FindingStore> store = FindingStore::Open(words.out);
  if (!store) return Complain(store.error().text, kExitEnvironment);

  Result<Target> target = MakeTarget(split->target, {.cxxflags = words.cxxflags,
                                                     .ldflags = words.ldflags,
                                                     .out = words.out,
                                                     .color = words.color.For(stderr)});
  if (!target) return Complain(target.error().text, kExitEnvironment);
  if (!target->compiler_messages.empty()) std::fputs(target->compiler_messages.c_str(), stderr);
  // Behind whatever may be wrong with the program: a pipe may keep us waiting.
  Result<StandardInput> input = ReadStandardInput();
  if (!input) return Complain(input.error().text, kExitEnvironment);
  target->invocation.stdin_path = std::move(input->path);
  target->invocation.stdin_contents = std::move(input->contents);
  if (input->note) target->notes.push_back(std::move(*input->note));
  options->worker.preload = target->preload;
  options->worker.serve_at_ready = target->calls_ready;

  std::vector<std::string> command_line = {"heddle", "run"};
  command_line.insert(command_line.end(), words_in.begin(), words_in.end());
  if (words.each_test) {
    if (words.resume)
      return Complain("--resume goes on with one search; --each-test makes many", kExitUsage);
    return RunEachTest(words, *options, *target, *triage, &*store, command_line);
  }

  if (options->strategy.info->exhaustive) {
    // One unfinished search per command; the options that change what is searched are checked.
    std::string command = target->invocation.program;
    for (const std::string& argument : target->invocation.arguments) command += '\0' + argument;
    options->state_file = fmt::format("{}/search-{:016x}", words.out, HashText(command));
    options->state_identity =
        fmt::format("--strategy={} --seed={} --points={} --timeouts={}{}", words.strategy,
                    words.seed, words.points, words.timeouts, DescribeScope(words.scope));
    options->resume = words.resume;
  } else if (words.resume) {
    return Complain(
        "--resume goes on with an exhaustive search; strategy '" + words.strategy + "' is none",
        kExitUsage);
  }

  Storing storing(&*store);
  options->on_found = [&storing, &triage](const Explored::Found& found) {
    if (!triage->IsSuppressed(found.finding)) storing.Now(found);
  };
  const std::atomic<bool>& interrupt = CatchInterrupts();
  AdoptOrphans();
  ProgressLine line(stderr);
  Result<Explored> explored = Explore(target->invocation, *options, interrupt,
                                      [&line](const Progress& progress) { line.Update(progress); });
  line.Clear();
  if (!explored) return Complain(explored.error().text, kExitEnvironment);
  explored->notes.insert(explored->notes.begin(), target->notes.begin(), target->notes.end());
  if (!words.scope.focus.empty() || !words.scope.ignore.empty()) {
    explored->notes.push_back("Threads were switched only where" + DescribeScope(words.scope) +
                              " allows: what is said here holds for such schedules.");
  }

  Seen seen;
  if (target->preload.empty()) {
    seen = DescribeSeen(target->invocation.program, explored->modules);
    const std::vector<std::string> notes = SeenNotes(seen);
    explored->notes.insert(explored->notes.end(), notes.begin(), notes.end());
    Triage::Doubt(seen, &*explored);
  }

  const Status triaged = triage->Apply(&*explored);
  if (!triaged) return Complain(triaged.error().text, kExitEnvironment);
  const Status stored = storing.Finish(&*explored);
  // With --json - standard output is the JSON's alone.
  std::FILE* const to = words.json == "-" ? stderr : stdout;
  const TextOptions text = TextFor(to, words.color, words.out);
  for (const Explored::Found& found : explored->found) {
    if (found.is_known) continue;
    fmt::print(to, "{}\n", RenderFinding(found.finding, text));
  }
  std::fputs(RenderSummary(*explored, *options).c_str(), to);
  std::fflush(to);

  int code = triage->Fails(*explored) ? kExitFinding : kExitFine;
  if (code == kExitFine && words.strict && !explored->uncontrolled.empty()) {
    code = Complain("the program did what heddle can't control, and --strict was given",
                    kExitEnvironment);
  }
  if (!words.json.empty()) {
    const RunFacts facts{.command_line = std::move(command_line),
                         .workers = options->workers,
                         .compile_seconds = target->compile_seconds,
                         .seen = std::move(seen)};
    if (Status written = WriteJson(words.json, RunToJson(*explored, *options, facts)); !written) {
      code = Complain(written.error().text, kExitEnvironment);
    }
  }
  if (!stored) code = Complain(stored.error().text, kExitEnvironment);
  return code;
}

}  // namespace heddle
