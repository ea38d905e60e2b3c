// The controller of a test process that called heddle::Explore: searches, reports, and hands the
// result back.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/replay_here.h"
#include "cli/run_options.h"
#include "cli/run_report.h"
#include "cli/seen.h"
#include "cli/storing.h"
#include "cli/triage.h"
#include "explore/regressions.h"
#include "explore/test_process.h"

namespace heddle {
namespace {

struct SessionWords {
  RunWords run;
  int socket = -1;
  std::string isolation = "batch";
  std::string regressions;
  std::string replay;  // HEDDLE_REPLAY
  std::string name;    // of the test
  std::string place;   // of Explore: FILE:LINE
  std::string key;     // of the call: see runtime/library/explore.cc
};

// The environment has the last word: HEDDLE_RUNS=1000000 ctest …
Status Override(RunWords* words) {
  const auto text = [](const char* name, std::string* word) {
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') {
      *word = value;
    }
  };
  Status status;
  const auto number = [&](const char* name, std::uint64_t* word) {
    std::string value = std::to_string(*word);
    text(name, &value);
    const char* const end = value.data() + value.size();
    if (const auto [at, error] = std::from_chars(value.data(), end, *word);
        error != std::errc() || at != end) {
      status = Error{fmt::format("{}={} is not a number", name, value)};
    }
  };
  text("HEDDLE_STRATEGY", &words->strategy);
  text("HEDDLE_TIME", &words->time);
  text("HEDDLE_OUT", &words->out);
  text("HEDDLE_BACKEND", &words->backend);
  number("HEDDLE_RUNS", &words->runs);
  number("HEDDLE_SEED", &words->seed);
  return status;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The test program as it was started.
Invocation InvocationOf(pid_t test, const SessionWords& words) {
  Invocation invocation;
  const std::string directory = fmt::format("/proc/{}", test);
  std::error_code ignored;
  invocation.program = std::filesystem::read_symlink(directory + "/exe", ignored).string();
  invocation.working_directory = std::filesystem::current_path(ignored).string();
  const std::string line = ReadFile(directory + "/cmdline");
  for (std::size_t at = line.find('\0'); at != std::string::npos && at + 1 < line.size();) {
    const std::size_t end = line.find('\0', at + 1);
    invocation.arguments.push_back(line.substr(at + 1, end - at - 1));
    at = end;
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    invocation.environment.emplace_back(*variable);
  }
  invocation.heddle_version = kVersion;
  invocation.explore = words.key;
  return invocation;
}

// A SessionResult file.
class ResultFile {
 public:
  void Add(const void* bytes, std::size_t size) {
    bytes_.append(static_cast<const char*>(bytes), size);
  }
  void Text(const std::string& text) {
    // A zero inside would shift all that follows.
    bytes_.append(text.c_str());
    bytes_.push_back('\0');
  }
  std::string Take() {
    const std::uint64_t size = bytes_.size();
    bytes_.replace(0, sizeof size, reinterpret_cast<const char*>(&size), sizeof size);
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
};

std::string ErrorResult(const std::string& text) {
  ResultFile file;
  const SessionResult head;
  file.Add(&head, sizeof head);
  file.Text(text);
  for (int i = 0; i < 3; ++i) file.Text("");
  return file.Take();
}

std::string ResultOf(const Explored& explored, const ExploreOptions& options,
                     const TextOptions& text) {
  ResultFile file;
  SessionResult head;
  head.runs = explored.runs;
  head.blocked_runs = explored.blocked_runs;
  head.events = explored.events;
  head.classes = explored.classes;
  head.seed = options.seed;
  head.classes_exact = explored.classes_exact;
  head.complete = explored.complete;
  head.leaks_state = explored.leaks_state;
  head.is_skipped = explored.skipped.has_value();
  head.is_in_doubt = explored.is_in_doubt;
  head.finding_count = static_cast<std::uint32_t>(explored.found.size());
  head.outcome_count = static_cast<std::uint32_t>(explored.outcomes.size());
  file.Add(&head, sizeof head);
  std::string report;
  for (const Explored::Found& found : explored.found) {
    const Finding& finding = found.finding;
    SessionFinding entry;
    entry.line = finding.sites.empty() ? 0 : static_cast<std::uint64_t>(finding.sites[0].line);
    entry.hits = finding.hits;
    entry.first_run = finding.first_run;
    entry.is_warning = finding.severity == Severity::kWarning;
    entry.replayed = finding.replayed;
    file.Add(&entry, sizeof entry);
    report += RenderFinding(finding, text) + "\n";
  }
  for (const OutcomeRecord& outcome : explored.outcomes) {
    const SessionOutcome entry{outcome.count};
    file.Add(&entry, sizeof entry);
  }
  file.Text("");
  file.Text(RenderSummary(explored, options));
  file.Text(report);
  file.Text(explored.skipped.value_or(""));
  for (const Explored::Found& found : explored.found) {
    const Finding& finding = found.finding;
    file.Text(std::string(InfoOf(finding.kind).name));
    file.Text(finding.id);
    file.Text(finding.message);
    file.Text(finding.fingerprint);
    file.Text(finding.sites.empty() ? "" : finding.sites[0].file);
    // A committed schedule is its own name.
    const bool is_file = finding.schedule.empty() && finding.id.find('/') != std::string::npos;
    file.Text(is_file                    ? finding.id
              : finding.schedule.empty() ? ""
                                         : text.out_directory + "/" + finding.schedule);
  }
  for (const OutcomeRecord& outcome : explored.outcomes) file.Text(outcome.text);
  return file.Take();
}

// Where the test keeps its schedules: beside its source, unless it names a place by itself.
std::string RegressionsOf(const SessionWords& words) {
  const std::filesystem::path directory = words.regressions;
  if (directory.empty() || directory.is_absolute()) return words.regressions;
  const std::filesystem::path source = words.place.substr(0, words.place.rfind(':'));
  return (source.parent_path() / directory).lexically_normal().string();
}

// What committed schedules find goes before any search.
Explored FailedRegressions(RegressionReplay replay, const std::string& directory) {
  Explored explored;
  explored.runs = replay.replayed;
  explored.stopped_by = StoppedBy::kFinding;
  explored.notes.push_back(fmt::format(
      "Of {} in {}, {} still or again; nothing else was searched.",
      Count(replay.replayed, "committed schedule"), directory,
      replay.found.size() == 1 ? "1 fails" : fmt::format("{} fail", replay.found.size())));
  explored.found = std::move(replay.found);
  return explored;
}

bool IsToSave() {
  const char* const value = std::getenv("HEDDLE_SAVE");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

Status SaveRegressions(const Explored& explored, const std::string& directory) {
  if (directory.empty()) {
    if (!explored.found.empty()) {
      fmt::print(stderr, "heddle: HEDDLE_SAVE is set, but the test names no .regressions\n");
    }
    return {};
  }
  for (const Explored::Found& found : explored.found) {
    if (!found.finding.replayed) continue;
    const Result<std::string> path = SaveRegression(directory, found);
    if (!path) return path.error();
    fmt::print(stderr, "heddle: saved {}\n", *path);
  }
  return {};
}

// The test's own files are looked at only where there is something to doubt.
void Doubt(const Invocation& invocation, Explored* explored) {
  const bool any = std::any_of(
      explored->found.begin(), explored->found.end(),
      [](const Explored::Found& found) { return found.finding.kind == FindingKind::kRace; });
  if (any) Triage::Doubt(DescribeSeen(invocation.program, explored->modules), explored);
}

Result<std::string> SearchFor(const SessionWords& words, TestProcess* test) {
  Result<ExploreOptions> options = Interpret(words.run);
  if (!options) return options.error();
  if (words.isolation != "batch" && words.isolation != "process") {
    return Error{fmt::format("isolation {}: it is batch or process", words.isolation)};
  }
  options->workers = 1;
  options->worker.source = test;
  options->worker.isolation =
      words.isolation == "process" ? Isolation::kProcess : Isolation::kInProcess;
  const Invocation invocation = InvocationOf(getppid(), words);
  const std::string regressions = RegressionsOf(words);
  const TextOptions text = TextFor(stderr, words.run.color, words.run.out);
  if (!regressions.empty()) {
    const auto files = ScheduleFilesIn(regressions);
    if (!files) return files.error();
    auto replay = ReplayRegressions(*files, invocation, *options, CatchInterrupts());
    if (!replay) return replay.error();
    for (const std::string& note : replay->notes) fmt::print(stderr, "heddle: {}\n", note);
    if (!replay->found.empty()) {
      return ResultOf(FailedRegressions(std::move(*replay), regressions), *options, text);
    }
  }
  Result<FindingStore> store = FindingStore::Open(words.run.out);
  if (!store) return store.error();
  Storing storing(&*store);
  options->on_found = [&storing](const Explored::Found& found) { storing.Now(found); };
  Result<Explored> explored = Explore(invocation, *options, CatchInterrupts(), {});
  if (!explored) return explored.error();
  Doubt(invocation, &*explored);
  if (Status stored = storing.Finish(&*explored); !stored) return stored.error();
  if (IsToSave()) {
    if (Status saved = SaveRegressions(*explored, regressions); !saved) return saved.error();
  }
  return ResultOf(*explored, *options, text);
}

}  // namespace

int SessionCommandMain(const std::vector<std::string>& words_in) {
  SessionWords words;
  CLI::App app("The controller of a test process.", "heddle explore-session");
  app.add_option("--socket", words.socket)
      ->required();  // first, so that it is read before an error
  DescribeRun(&app, &words.run);
  app.add_option("--isolation", words.isolation);
  app.add_option("--regressions", words.regressions);
  app.add_option("--replay", words.replay);
  app.add_option("--name", words.name);
  app.add_option("--place", words.place);
  app.add_option("--key", words.key);
  std::string wrong;
  try {
    app.parse(std::vector(words_in.rbegin(), words_in.rend()));  // as CLI11 wants them
    if (const Status overridden = Override(&words.run); !overridden)
      wrong = overridden.error().text;
  } catch (const CLI::ParseError& error) {
    if (words.socket < 0) return Complain(error.what(), kExitUsage);
    wrong = error.what();
  }
  fcntl(words.socket, F_SETFD, FD_CLOEXEC);
  TestProcess test(words.socket);
  // Whoever hears of an error in an option is the test.
  if (!wrong.empty()) return test.Finish(ErrorResult(wrong)) ? kExitFine : kExitEnvironment;
  if (!words.replay.empty()) {
    if (Status replayed = ReplayInTest(words.replay, &test); !replayed) {
      return test.Finish(ErrorResult(replayed.error().text)) ? kExitFine : kExitEnvironment;
    }
    return kExitFine;
  }
  const Result<std::string> result = SearchFor(words, &test);
  const Status told = test.Finish(result ? *result : ErrorResult(result.error().text));
  return told ? kExitFine : kExitEnvironment;
}

}  // namespace heddle
