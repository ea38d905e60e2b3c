// heddle::Explore: a test's body under many schedules, inside the test.
//
//   heddle::Explore({.strategy = "pos", .runs = 10'000}, [] {
//     Account account;
//     heddle::Concurrently([&] { account.Deposit(10); }, [&] { account.Deposit(10); });
//     HEDDLE_ASSERT(account.balance() == 20);
//   });
//
// The body is run in copies of the test process, never in the process itself: what it changes is
// gone afterwards. It is repeated many times in one copy, so it must not depend on what an earlier
// run left behind; heddle notices when it does. Explore fails the surrounding test by itself. Part
// of <heddle/heddle.h>.
#ifndef HEDDLE_EXPLORE_H_
#define HEDDLE_EXPLORE_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/explore_abi.h"

namespace heddle {

enum class Isolation {
  kBatch,    // many runs in one process: fast
  kProcess,  // a process for each run, for bodies that change what stays
};
inline constexpr Isolation kBatch = Isolation::kBatch;
inline constexpr Isolation kProcess = Isolation::kProcess;

enum class OnFinding {
  kFail,    // the surrounding test fails
  kReturn,  // the caller looks at the Result
};
inline constexpr OnFinding kFail = OnFinding::kFail;
inline constexpr OnFinding kReturn = OnFinding::kReturn;

// Empty or zero is the default of `heddle run`.
struct Options {
  std::string strategy = {};
  std::uint64_t runs = 0;
  std::string time = {};  // "90s", "10m"
  std::uint64_t seed = 1;
  std::string points = {};  // "sync", "shared", "all"
  std::string races = {};   // "on", "off"
  std::uint64_t max_steps = 0;
  Isolation isolation = kBatch;
  bool keep_going = false;        // search on after a failure
  bool require_complete = false;  // a search that is not complete fails the test too
  std::string regressions = {};   // a directory of schedules to replay first
  std::string name = {};          // of the test; found by itself where a framework says it
  OnFinding on_finding = kFail;
};

struct Finding {
  std::string kind;  // "assertion", "deadlock", …
  std::string id;
  std::string message;
  std::string fingerprint;
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t hits = 0;
  std::uint64_t first_run = 0;
  bool is_warning = false;
  bool replayed = false;
  std::string schedule;  // a file
};

struct Result {
  std::vector<Finding> findings;
  std::uint64_t runs = 0;
  std::uint64_t blocked_runs = 0;
  std::uint64_t events = 0;
  std::uint64_t classes = 0;
  std::uint64_t seed = 0;
  bool classes_exact = true;
  bool complete = false;
  bool explored = false;     // false: not instrumented, or already under heddle; the body ran once
  bool leaks_state = false;  // a run saw what an earlier one left behind
  bool is_in_doubt = false;  // what was not controlled or cut off may hide a failure: see Summary()
  std::map<std::string, std::uint64_t> outcomes;  // see heddle::Outcome
  std::string error;                              // the search could not be made
  std::string skipped;                            // the body asked to be skipped: why
  std::string summary;
  std::string report;  // the findings, as text

  // No error was found (warnings are none).
  bool ok() const {
    for (const Finding& finding : findings) {
      if (!finding.is_warning) return false;
    }
    return error.empty();
  }
  bool Found(std::string_view kind) const {
    for (const Finding& finding : findings) {
      if (finding.kind == kind) return true;
    }
    return false;
  }
  std::string Summary() const { return error.empty() ? report + summary : error + "\n"; }
};

// True while heddle decides this program's schedule.
inline bool IsScheduling() {
  return heddle_is_scheduling != nullptr && heddle_is_scheduling() != 0;
}

namespace internal {

// What a test framework adds (heddle/gtest.h …). Plain `main`: a failed Explore ends the program
// with status 1.
struct Framework {
  void (*fail)(const char* file, int line, const std::string& text) = nullptr;
  void (*skip)(const std::string& why) = nullptr;
  std::string (*test_name)() = nullptr;
  // The body must run natively, once: a death test's child, say.
  bool (*run_natively)() = nullptr;
};
inline Framework framework;

template <typename Body>
void CallBody(void* body) noexcept {
  (*static_cast<Body*>(body))();
}

struct Place {
  const char* file;
  int line;
};

inline std::vector<std::string> Words(const Options& options, const Place& where) {
  std::vector<std::string> words;
  const auto add = [&words](const char* name, const std::string& value) {
    if (!value.empty()) words.push_back(std::string("--") + name + "=" + value);
  };
  const auto number = [](std::uint64_t value) {
    return value == 0 ? std::string() : std::to_string(value);
  };
  add("strategy", options.strategy);
  add("runs", number(options.runs));
  add("time", options.time);
  add("seed", std::to_string(options.seed));
  add("points", options.points);
  add("races", options.races);
  add("max-steps", number(options.max_steps));
  add("isolation", options.isolation == kProcess ? "process" : "batch");
  if (options.keep_going) words.push_back("--keep-going");
  add("regressions", options.regressions);
  std::string name = options.name;
  if (name.empty() && framework.test_name != nullptr) name = framework.test_name();
  add("name", name);
  add("place", std::string(where.file) + ":" + std::to_string(where.line));
  return words;
}

inline Result ToResult(const HeddleExplored& explored) {
  Result result;
  result.explored = true;
  result.error = explored.error;
  result.summary = explored.summary;
  result.report = explored.report;
  if (explored.skipped != nullptr) result.skipped = explored.skipped;
  result.runs = explored.runs;
  result.blocked_runs = explored.blocked_runs;
  result.events = explored.events;
  result.classes = explored.classes;
  result.seed = explored.seed;
  result.classes_exact = explored.classes_exact != 0;
  result.complete = explored.complete != 0;
  result.leaks_state = explored.leaks_state != 0;
  result.is_in_doubt = explored.is_in_doubt != 0;
  for (std::uint32_t i = 0; i < explored.finding_count; ++i) {
    const HeddleFinding& from = explored.findings[i];
    Finding finding;
    finding.kind = from.kind;
    finding.id = from.id;
    finding.message = from.message;
    finding.fingerprint = from.fingerprint;
    finding.file = from.file;
    finding.line = from.line;
    finding.hits = from.hits;
    finding.first_run = from.first_run;
    finding.is_warning = from.is_warning != 0;
    finding.replayed = from.replayed != 0;
    finding.schedule = from.schedule;
    result.findings.push_back(std::move(finding));
  }
  for (std::uint32_t i = 0; i < explored.outcome_count; ++i) {
    result.outcomes[explored.outcomes[i].text] = explored.outcomes[i].count;
  }
  return result;
}

inline void SayOnce(const char* text) {
  static bool said = false;
  if (!said) std::fprintf(stderr, "%s", text);
  said = true;
}

inline void FailTest(const Place& where, const std::string& text) {
  if (framework.fail != nullptr) {
    framework.fail(where.file, where.line, text);
    return;
  }
  std::fflush(stdout);
  std::fprintf(stderr, "%s:%d: heddle::Explore failed\n%s", where.file, where.line, text.c_str());
  std::exit(1);
}

}  // namespace internal

// Searches the schedules of `body`. Under `heddle run` the outer search owns the schedule: the body
// runs once. The same in a build without instrumentation, which says so.
template <typename Body>
Result Explore(const Options& options, Body&& body, const char* file = __builtin_FILE(),
               int line = __builtin_LINE()) {
  const internal::Place where{file, line};
  // A function by its pointer: it has no address that is an object's.
  using Named = std::remove_reference_t<Body>;
  using Function = std::conditional_t<std::is_function_v<Named>, Named*, Named>;
  std::conditional_t<std::is_function_v<Named>, Named*, Named&> function = body;
  const bool natively =
      internal::framework.run_natively != nullptr && internal::framework.run_natively();
  if (IsScheduling() || heddle_explore == nullptr || natively) {
    if (heddle_explore == nullptr && !natively) {
      internal::SayOnce(
          "heddle: this program is not built by heddle c++: every body runs once, natively.\n");
    }
    body();
    Result result;
    result.runs = 1;
    result.seed = options.seed;
    result.summary = IsScheduling() ? "The body ran once, as part of the search around it.\n"
                                    : "The body ran once, natively.\n";
    return result;
  }
  const std::vector<std::string> words = internal::Words(options, where);
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  HeddleExplored explored;
  heddle_explore(pointers.data(), pointers.size(), internal::CallBody<Function>,
                 const_cast<void*>(static_cast<const volatile void*>(std::addressof(function))),
                 &explored);
  Result result = internal::ToResult(explored);
  heddle_explore_release(&explored);
  if (options.on_finding == kReturn) return result;
  if (!result.skipped.empty() && internal::framework.skip != nullptr) {
    internal::framework.skip(result.skipped);
    return result;
  }
  if (!result.ok()) {
    internal::FailTest(where, result.Summary());
  } else if (options.require_complete && !result.complete) {
    internal::FailTest(
        where, "The search is not complete, and .require_complete is set.\n" + result.Summary());
  } else if (result.leaks_state || result.is_in_doubt) {
    std::fprintf(stderr, "%s", result.summary.c_str());
  }
  return result;
}

template <typename Body>
Result Explore(Body&& body, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return Explore(Options(), std::forward<Body>(body), file, line);
}

// Counts how often runs came to each outcome: Result::outcomes. A value is a number or a text (up
// to 55 characters). Behind the first 127 different ones all others are one: "(others)".
template <typename Value>
void Outcome(const Value& value) {
  if (heddle_outcome == nullptr || !IsScheduling()) return;
  if constexpr (std::is_same_v<Value, bool>) {
    const std::string_view text = value ? "true" : "false";
    heddle_outcome(text.data(), text.size());
  } else if constexpr (std::is_arithmetic_v<Value>) {
    char text[32];
    const int size =
        std::is_floating_point_v<Value>
            ? std::snprintf(text, sizeof text, "%g", static_cast<double>(value))
        : std::is_unsigned_v<Value>
            ? std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value))
            : std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
    heddle_outcome(text, static_cast<std::size_t>(size));
  } else {
    const std::string_view text = value;
    heddle_outcome(text.data(), text.size());
  }
}

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_H_
