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
std::string Describe(const Explored& explored, bool fails) {
  std::string found_text;
  for (const Explored::Found& found : explored.found) {
    found_text += fmt::format("{}{} ({}{})", found_text.empty() ? ": " : ", ",
                              InfoOf(found.finding.kind).title, found.finding.id,
                              found.is_known ? ", known" : "");
  }
  if (explored.starts_no_thread) {
    return fails ? "FAILED" + found_text + "; it starts no thread"
                 : "skipped: it starts no thread; it was run once";
  }
  return fmt::format("{}{}: {}, {}{}, {:.1f} s{}", fails ? "FAILED" : "passed", found_text,
                     Count(explored.runs, "run"), explored.classes_exact ? "" : "about ",
                     Count(explored.classes, "class"), explored.seconds,
                     explored.complete ? ", complete" : "");
}

std::string_view StatusOf(const Explored& explored, bool fails) {
  if (fails) return "failed";
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
           const Triage& triage, FindingStore* store, const std::vector<std::string>& command_line)
      : words_(words),
        options_(options),
        target_(target),
        triage_(triage),
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
    if (Status triaged = triage_.Apply(&all_); !triaged) {
      problems_.push_back(triaged.error().text);
    }
    Report(program, interrupt);
    if (!problems_.empty()) return Complain(problems_.front(), kExitEnvironment);
    if (triage_.Fails(all_)) return kExitFinding;
    if (words_.strict && is_uncontrolled_) {
      return Complain("a test did what heddle can't control, and --strict was given",
                      kExitEnvironment);
    }
    return kExitFine;
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
    options.on_found = [&](const Explored::Found& found) {
      if (!triage_.IsSuppressed(found.finding)) storing.Now(found);
    };
    ProgressLine line(stderr);
    Result<Explored> explored =
        Explore(invocation, options, interrupt,
                [&line](const Progress& progress) { line.Update(progress); });
    line.Clear();
    if (!explored) return explored.error();
    if (target_.preload.empty()) {
      Triage::Doubt(DescribeSeen(invocation.program, explored->modules), &*explored);
    }
    triage_.Sift(&*explored);
    const bool fails = triage_.Fails(*explored);
    if (Status stored = storing.Finish(&*explored); !stored)
      problems_.push_back(stored.error().text);
    fmt::print(to_, "{}\n", Describe(*explored, fails));
    totals_.Add(*explored);
    ++counts_[std::string(StatusOf(*explored, fails))];
    is_uncontrolled_ = is_uncontrolled_ || !explored->uncontrolled.empty();
    all_.suppressed += explored->suppressed;
    Json json = RunToJson(*explored, options, FactsOf(options));
    Json entry = {{"name", one.name}, {"status", StatusOf(*explored, fails)}};
    for (const char* const key :
         {"runs", "blocked_runs", "classes", "classes_exact", "events", "complete", "stopped_by",
          "seconds", "findings", "verdict", "uncontrolled", "notes"}) {
      entry[key] = json[key];
    }
    tests_.push_back(std::move(entry));
    for (Explored::Found& found : explored->found) all_.found.push_back(std::move(found));
    for (const std::string& note : explored->notes) {
      const auto& notes = all_.notes;
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) all_.notes.push_back(note);
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
    for (const Explored::Found& found : all_.found) {
      if (found.is_known) continue;
      fmt::print(to_, "\n{}: {}\n", found.finding.invocation.test,
                 RenderFinding(found.finding, text_));
    }
    fmt::print(to_, "{} of {}: {} failed, {} passed, {} without threads; {} in {:.1f} s.\n",
               Count(program.cases.size(), "test"), NameOf(program.framework), counts_["failed"],
               counts_["passed"], counts_["skipped"], Count(totals_.runs, "run"), totals_.seconds);
    if (interrupted) {
      fmt::print(to_, "Interrupted: {} not searched.\n",
                 Count(program.cases.size() - tests_.size(), "test"));
    }
    for (const std::string& note : all_.notes) fmt::print(to_, "{}\n", note);
    std::fflush(to_);
    if (words_.json.empty()) return;
    if (Status written = WriteJson(words_.json, ToJson(interrupted)); !written) {
      problems_.push_back(written.error().text);
    }
  }

  Json ToJson(bool interrupted) {
    Explored& all = all_;
    all.runs = totals_.runs;
    all.blocked_runs = totals_.blocked_runs;
    all.classes = totals_.classes;
    all.classes_exact = totals_.classes_exact;
    all.events = totals_.events;
    all.complete = totals_.complete && !interrupted;
    all.seconds = totals_.seconds;
    all.stopped_by = interrupted          ? StoppedBy::kInterrupted
                     : !all.found.empty() ? StoppedBy::kFinding
                     : all.complete       ? StoppedBy::kComplete
                                          : StoppedBy::kRuns;
    Json json = RunToJson(all, options_, FactsOf(options_));
    json["tests"] = tests_;
    return json;
  }

  const RunWords& words_;
  const ExploreOptions& options_;
  const Target& target_;
  const Triage& triage_;
  FindingStore* const store_;
  const std::vector<std::string>& command_line_;
  std::FILE* const to_;
  const TextOptions text_;
  Totals totals_;
  std::map<std::string, int> counts_;  // by status
  Explored all_;                       // what all tests showed
  bool is_uncontrolled_ = false;
  std::vector<std::string> problems_;
  Json tests_ = Json::array();
};

}  // namespace

int RunEachTest(const RunWords& words, const ExploreOptions& options, const Target& target,
                const Triage& triage, FindingStore* store,
                const std::vector<std::string>& command_line) {
  const Result<TestProgram> program =
      ListTests(target.invocation.program, target.invocation.arguments);
  if (!program) return Complain(program.error().text, kExitEnvironment);
  return EachTest(words, options, target, triage, store, command_line).Run(*program);
}

}  // namespace heddle
