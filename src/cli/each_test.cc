#include "cli/each_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/common.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/run_report.h"
#include "cli/storing.h"
#include "cli/test_cases.h"
#include "explore/children.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

// A test's line, behind its name.
std::string Describe(const Explored& explored) {
  const std::string failures = [&explored] {
    std::string text;
    for (const Explored::Found& found : explored.found) {
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", InfoOf(found.finding.kind).title,
                          found.finding.id);
    }
    return text;
  }();
  if (explored.starts_no_thread) {
    return failures.empty() ? "skipped: it starts no thread; it was run once"
                            : "FAILED: " + failures + "; it starts no thread";
  }
  return fmt::format(
      "{}: {}, {}{}, {:.1f} s{}", failures.empty() ? "passed" : "FAILED: " + failures,
      Count(explored.runs, "run"), explored.classes_exact ? "" : "about ",
      Count(explored.classes, "class"), explored.seconds, explored.complete ? ", complete" : "");
}

std::string_view StatusOf(const Explored& explored) {
  if (!explored.found.empty()) return "failed";
  return explored.starts_no_thread ? "skipped" : "passed";
}

// Of all tests, in the keys of one search.
struct Totals {
  std::uint64_t runs = 0, blocked_runs = 0, classes = 0, events = 0;
  bool classes_exact = true, complete = true;
  double seconds = 0;

  void Add(const Explored& explored) {
    runs += explored.runs;
    blocked_runs += explored.blocked_runs;
    classes += explored.classes;
    events += explored.events;
    seconds += explored.seconds;
    classes_exact = classes_exact && explored.classes_exact;
    complete = complete && (explored.complete || explored.starts_no_thread);
  }
};

class EachTest {
 public:
  EachTest(const RunWords& words, const ExploreOptions& options, const Target& target,
           FindingStore* store, const std::vector<std::string>& command_line)
      : words_(words),
        options_(options),
        target_(target),
        store_(store),
        command_line_(command_line),
        to_(words.json == "-" ? stderr : stdout),
        text_(TextFor(to_, words.color, words.out)) {}

  int Run(const TestProgram& program) {
    std::size_t width = 0;
    for (const TestCase& one : program.cases) width = std::max(width, one.name.size());
    const std::atomic<bool>& interrupt = CatchInterrupts();
    AdoptOrphans();
    for (std::size_t i = 0; i < program.cases.size() && !interrupt; ++i) {
      const TestCase& one = program.cases[i];
      fmt::print(to_, "{:<{}}  ", one.name, width);
      std::fflush(to_);
      if (Status searched = Search(one, program.cases.size() - i, interrupt); !searched) {
        fmt::print(to_, "not searched: {}\n", searched.error().text);
        problems_.push_back(searched.error().text);
        tests_.push_back({{"name", one.name}, {"status", "error"}});
      }
      std::fflush(to_);
    }
    Report(program, interrupt);
    if (!problems_.empty()) return Complain(problems_.front(), kExitEnvironment);
    return findings_.empty() ? kExitFine : kExitFinding;
  }

 private:
  Status Search(const TestCase& one, std::size_t tests_left, const std::atomic<bool>& interrupt) {
    ExploreOptions options = options_;
    options.runs = std::max<std::uint64_t>(
        1, (options_.runs - std::min(options_.runs, totals_.runs)) / tests_left);
    options.seconds =
        std::max(0.1, (options_.seconds - totals_.seconds) / static_cast<double>(tests_left));
    Invocation invocation = target_.invocation;
    invocation.arguments = one.arguments;
    invocation.test = one.name;
    Storing storing(store_);
    options.on_found = [&storing](const Explored::Found& found) { storing.Now(found); };
    ProgressLine line(stderr);
    Result<Explored> explored =
        Explore(invocation, options, interrupt,
                [&line](const Progress& progress) { line.Update(progress); });
    line.Clear();
    if (!explored) return explored.error();
    if (Status stored = storing.Finish(&*explored); !stored)
      problems_.push_back(stored.error().text);
    fmt::print(to_, "{}\n", Describe(*explored));
    totals_.Add(*explored);
    ++counts_[std::string(StatusOf(*explored))];
    Json json = RunToJson(*explored, options, FactsOf(options));
    Json entry = {{"name", one.name}, {"status", StatusOf(*explored)}};
    for (const char* const key :
         {"runs", "blocked_runs", "classes", "classes_exact", "events", "complete", "stopped_by",
          "seconds", "findings", "verdict", "uncontrolled", "notes"}) {
      entry[key] = json[key];
    }
    tests_.push_back(std::move(entry));
    for (Explored::Found& found : explored->found) findings_.push_back(std::move(found.finding));
    for (const std::string& note : explored->notes) {
      if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
    }
    return {};
  }

  RunFacts FactsOf(const ExploreOptions& options) const {
    return {.command_line = command_line_,
            .workers = options.workers,
            .compile_seconds = target_.compile_seconds,
            .seen = {}};
  }

  void Report(const TestProgram& program, bool interrupted) {
    for (const Finding& finding : findings_) {
      fmt::print(to_, "\n{}: {}\n", finding.invocation.test, RenderFinding(finding, text_));
    }
    fmt::print(to_, "{} of {}: {} failed, {} passed, {} without threads; {} in {:.1f} s.\n",
               Count(program.cases.size(), "test"), NameOf(program.framework), counts_["failed"],
               counts_["passed"], counts_["skipped"], Count(totals_.runs, "run"), totals_.seconds);
    if (interrupted) {
      fmt::print(to_, "Interrupted: {} not searched.\n",
                 Count(program.cases.size() - tests_.size(), "test"));
    }
    for (const std::string& note : notes_) fmt::print(to_, "{}\n", note);
    std::fflush(to_);
    if (words_.json.empty()) return;
    if (Status written = WriteJson(words_.json, ToJson(interrupted)); !written) {
      problems_.push_back(written.error().text);
    }
  }

  Json ToJson(bool interrupted) {
    Explored all;
    all.runs = totals_.runs;
    all.blocked_runs = totals_.blocked_runs;
    all.classes = totals_.classes;
    all.classes_exact = totals_.classes_exact;
    all.events = totals_.events;
    all.complete = totals_.complete && !interrupted;
    all.seconds = totals_.seconds;
    all.stopped_by = interrupted          ? StoppedBy::kInterrupted
                     : !findings_.empty() ? StoppedBy::kFinding
                     : all.complete       ? StoppedBy::kComplete
                                          : StoppedBy::kRuns;
    all.notes = notes_;
    for (const Finding& finding : findings_) {
      Explored::Found found;
      found.finding = finding;
      all.found.push_back(std::move(found));
    }
    Json json = RunToJson(all, options_, FactsOf(options_));
    json["tests"] = tests_;
    return json;
  }

  const RunWords& words_;
  const ExploreOptions& options_;
  const Target& target_;
  FindingStore* const store_;
  const std::vector<std::string>& command_line_;
  std::FILE* const to_;
  const TextOptions text_;
  Totals totals_;
  std::map<std::string, int> counts_;  // by status
  std::vector<Finding> findings_;
  std::vector<std::string> notes_, problems_;
  Json tests_ = Json::array();
};

}  // namespace

int RunEachTest(const RunWords& words, const ExploreOptions& options, const Target& target,
                FindingStore* store, const std::vector<std::string>& command_line) {
  const Result<TestProgram> program =
      ListTests(target.invocation.program, target.invocation.arguments);
  if (!program) return Complain(program.error().text, kExitEnvironment);
  return EachTest(words, options, target, store, command_line).Run(*program);
}

}  // namespace heddle
