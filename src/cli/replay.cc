// `heddle replay`: the same bug, every time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/debugger.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/target.h"
#include "explore/children.h"
#include "explore/replay_session.h"
#include "explore/test_process.h"
#include "report/finding_store.h"

namespace heddle {
namespace {

struct ReplayWords {
  std::string what = "last";
  std::uint64_t times = 1;
  bool gdb = false;
  std::string backend;
  std::string hang_time = "10s";
  std::string json;
  std::string out = kDefaultOut;
  ColorChoice color;
};

// What is to be run: what the user names, else the recorded program, compiled again from its
// sources when heddle had compiled it.
struct ReplayTarget {
  Invocation invocation;
  std::string preload;
  bool calls_ready = false;
};

Result<ReplayTarget> FindTarget(const StoredFinding& stored, const TargetWords& named,
                                const ReplayWords& words) {
  const Invocation& recorded = stored.finding.invocation;
  TargetWords target = named;
  if (target.empty()) {
    target.sources = recorded.sources;
    target.program = recorded.sources.empty() ? recorded.program : "";
    target.arguments = recorded.arguments;
    if (target.empty()) {
      target.program = stored.schedule.program;
      target.arguments = stored.schedule.arguments;
    }
  } else if (target.arguments.empty()) {
    target.arguments = recorded.arguments.empty() ? stored.schedule.arguments : recorded.arguments;
  }
  // Sources that are gone do not hurt while the program is there.
  const auto exists = [&recorded](const std::string& path) {
    return std::filesystem::exists(std::filesystem::path(recorded.working_directory) / path);
  };
  const bool has_sources =
      !target.sources.empty() && std::all_of(target.sources.begin(), target.sources.end(), exists);
  if (named.empty() && !target.sources.empty() && !has_sources && exists(recorded.program)) {
    target.sources.clear();
    target.program = recorded.program;
  }
  // The compiler's command and what __FILE__ says depend on the directory: compile as recorded.
  if (named.empty() && exists(recorded.working_directory)) {
    std::filesystem::current_path(recorded.working_directory);
  }
  Result<Target> made = MakeTarget(target, {.cxxflags = recorded.cxxflags,
                                            .ldflags = recorded.ldflags,
                                            .out = words.out,
                                            .color = words.color.For(stderr)});
  if (!made) return made.error();
  ReplayTarget result{.invocation = std::move(made->invocation),
                      .preload = made->preload,
                      .calls_ready = made->calls_ready};
  // A run sees what the recorded one saw.
  if (!recorded.environment.empty()) result.invocation.environment = recorded.environment;
  if (exists(recorded.working_directory)) {
    result.invocation.working_directory = recorded.working_directory;
  }
  result.invocation.stdin_contents = recorded.stdin_contents;
  result.invocation.stdin_path = recorded.stdin_path;
  return result;
}

std::string Render(const Replayed& replayed, const StoredFinding& stored) {
  std::string text;
  const std::string what =
      stored.finding.message.empty() ? stored.schedule.message : stored.finding.message;
  switch (replayed.status) {
    case ReplayStatus::kReproduced:
      text = fmt::format("Reproduced: {}\n", what);
      break;
    case ReplayStatus::kPassed:
      text =
          fmt::format("Passed: the schedule was run, and the failure did not appear ({}).\n", what);
      break;
    case ReplayStatus::kDiverged:
      text = fmt::format("Diverged: {}.\n", replayed.detail);
      break;
  }
  text += fmt::format("{}, {} identical to the recording", Count(replayed.replays, "replay"),
                      WithCommas(replayed.identical));
  text +=
      replayed.same_build ? ".\n" : "; the program is another build, replayed by source lines.\n";
  for (const std::string& place : replayed.unresolved) {
    text += fmt::format("This build has no more: {}\n", place);
  }
  return text;
}

int CodeOf(ReplayStatus status) {
  switch (status) {
    case ReplayStatus::kReproduced:
      return kExitFinding;
    case ReplayStatus::kPassed:
      return kExitFine;
    case ReplayStatus::kDiverged:
      return kExitEnvironment;
  }
  return kExitOurBug;
}

}  // namespace

int ReplayCommandMain(const std::vector<std::string>& words_in) {
  ReplayWords words;
  CLI::App app("Runs a finding's schedule again: exit code 1 reproduced, 0 passed, 3 diverged.",
               "heddle replay");
  app.add_option("FINDING", words.what,
                 "an id, a path of a finding or schedule, or last (default)");
  AddCountOption(&app, "--times", &words.times, "how often (default 1)");
  app.add_flag("--gdb", words.gdb, "stop at the failure, in gdb");
  app.add_option("--backend", words.backend, "fiber or baton (default: as recorded)")
      ->type_name("NAME");
  app.add_option("--hang-time", words.hang_time,
                 "a run without an event for so long is stuck (default 10s)")
      ->type_name("TIME");
  app.add_option("--json", words.json, "write the result as JSON; - is standard output")
      ->type_name("FILE");
  AddOutOption(&app, &words.out);
  AddColorOption(&app, &words.color);
  SetUsage(&app, "heddle replay [FINDING] [options] [-- PROGRAM ARGS…]");

  const auto dashes = std::find(words_in.begin(), words_in.end(), "--");
  if (const auto code = Parse(&app, {words_in.begin(), dashes})) return *code;
  const TargetWords named =
      dashes == words_in.end() ? TargetWords() : TargetOf({dashes + 1, words_in.end()});
  if (words.times == 0) {
    return Complain("--times 0 would replay nothing; give at least 1", kExitUsage);
  }
  const Result<double> hang = ParseDuration(words.hang_time);
  if (!hang || *hang <= 0) {
    return Complain("--hang-time: " + (hang ? "give more than 0" : hang.error().text), kExitUsage);
  }
  if (!words.backend.empty() && !BackendByName(words.backend)) {
    return Complain(fmt::format("--backend {}: it is fiber or baton", words.backend), kExitUsage);
  }

  if (Status can_write = CheckOutputPath("--json", words.json); !can_write) {
    return Complain(can_write.error().text, kExitEnvironment);
  }
  // The working directory may change below.
  words.out = std::filesystem::absolute(words.out).string();
  if (!words.json.empty() && words.json != "-") {
    words.json = std::filesystem::absolute(words.json).string();
  }
  const Result<StoredFinding> stored = FindingStore::At(words.out).Load(words.what);
  if (!stored) return Complain(stored.error().text, kExitEnvironment);
  const Result<ReplayTarget> target = FindTarget(*stored, named, words);
  if (!target) return Complain(target.error().text, kExitEnvironment);

  const SearchSettings& search = stored->finding.search;
  ReplayOptions options{.times = words.times,
                        .worker = {},
                        .expected_exit = search.expected_exit,
                        .expected_output = search.expected_output};
  options.worker.backend = words.backend.empty() ? search.backend : *BackendByName(words.backend);
  options.worker.points = stored->schedule.points;
  options.worker.timeouts = stored->schedule.timeouts;
  options.worker.scope = stored->schedule.scope;
  options.worker.serve_at_ready = target->calls_ready;
  options.worker.reuse = search.reuse;
  if (search.max_steps != 0) options.worker.max_steps = search.max_steps;
  options.worker.max_events = std::min<std::uint64_t>(options.worker.max_steps, 1u << 20);
  if (search.memory_bytes != 0) options.worker.memory_bytes = search.memory_bytes;
  options.worker.hang_seconds = *hang;
  options.worker.preload = target->preload;
  if (words.gdb && !stored->finding.invocation.explore.empty()) {
    return ReplayTestInDebugger(*stored, target->invocation);
  }
  if (words.gdb) return ReplayInDebugger(*stored, target->invocation, options.worker);

  AdoptOrphans();
  std::unique_ptr<TestProcess> test;
  if (!stored->finding.invocation.explore.empty()) {
    Invocation invocation = target->invocation;
    invocation.explore = stored->finding.invocation.explore;
    Result<std::unique_ptr<TestProcess>> launched = TestProcess::Launch(invocation);
    if (!launched) return Complain(launched.error().text, kExitEnvironment);
    test = std::move(*launched);
    options.worker.source = test.get();
    options.worker.isolation = search.isolation;
  }
  const Result<Replayed> replayed =
      ReplaySchedule(*stored, target->invocation, options, CatchInterrupts());
  if (!replayed) return Complain(replayed.error().text, kExitEnvironment);
  std::fputs(Render(*replayed, *stored).c_str(), words.json == "-" ? stderr : stdout);
  std::fflush(stdout);
  if (!words.json.empty()) {
    nlohmann::ordered_json json;
    json["replays"] = replayed->replays;
    json["identical"] = replayed->identical;
    json["status"] = NameOf(replayed->status);
    json["kind"] = replayed->kind;
    json["same_build"] = replayed->same_build;
    json["detail"] = replayed->detail;
    if (Status written = WriteJson(words.json, json); !written) {
      return Complain(written.error().text, kExitEnvironment);
    }
  }
  return CodeOf(replayed->status);
}

}  // namespace heddle
