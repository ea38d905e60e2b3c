#include "systematic.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "compile/process.h"
#include "explore/temporary.h"
#include "simulate/counted_programs.h"
#include "simulate/machine.h"
#include "strategy/registry.h"

namespace heddle::bench {
namespace {

using simulate::Machine;
using simulate::Program;

// What the same programs take elsewhere, as the issue that asks for this table has it.
struct Peer {
  const char* genmc = "";
  const char* nidhugg = "";
};

struct Family {
  const char* name;
  Program (*make)(int n);
  double (*classes)(int n);  // known; 0 = not
  int first;
  const char* whole_program;  // its name in class_counts.cpp
  Peer peer;
  int library = 0;  // first size in library_counts.cpp, under the same name; 0 = not there
};

double Binomial(int n) {
  double value = 1;
  for (int k = 1; k <= n; ++k) value = value * (n + k) / k;
  return value;
}
double PowerOfTwo(int n) {
  double value = 1;
  while (n-- > 0) value *= 2;
  return value;
}

constexpr Family kFamilies[] = {
    {"increments under a lock", simulate::LockedIncrements, Binomial, 4, "increments", {}},
    {"one writer, n readers",
     simulate::WriterAndReaders,
     PowerOfTwo,
     10,
     "readers",
     {"21,000/s", "3,000/s"},
     12},
    {"fib_bench",
     simulate::FibBench,
     [](int n) { return n == 3 ? 141.0 : 0.0; },
     3,
     "fib",
     {"10,000/s", "11,000/s"},
     5},
    {"philosophers, in order",
     [](int n) { return simulate::Philosophers(n, false); },
     [](int n) { return PowerOfTwo(n) - 2; },
     6,
     "philosophers",
     {}},
    {"philosophers, left first",
     [](int n) { return simulate::Philosophers(n, true); },
     [](int n) { return PowerOfTwo(n) - 1; },
     6,
     "left-first",
     {"no deadlock", "no deadlock"}},
};

struct Measured {
  double runs = 0;
  double blocked = 0;
  double deadlocks = 0;
  double seconds = 0;
  double growth = 0;  // processor time per run in the last quarter over that in the first
  double limit = 0;   // runs per second of the fork server alone
  bool complete = false;
};

constexpr std::uint64_t kChunk = 4096;
constexpr double kLibraryRate = 100'000;  // complete runs per second on one idle core

Measured Explore(const Program& program, std::string_view strategy, double most_seconds) {
  const auto spec = ParseStrategy(strategy);
  const std::unique_ptr<Search> search = spec->info->make_search({.params = spec->params});
  const std::unique_ptr<Policy> policy = spec->info->make_policy();
  Machine machine(program, {.stop_at_failure = false});
  Measured measured;
  std::vector<double> chunks;
  const double started = MonotonicSeconds();
  double chunk_started = ProcessorSeconds();
  std::uint64_t runs = 0;
  while (std::optional<Plan> plan = search->Next()) {
    const RunRecord& record = machine.Run(*plan, *policy);
    if (record.outcome == RunOutcome::kBlocked) ++measured.blocked;
    if (record.failure == FailureKind::kDeadlock) ++measured.deadlocks;
    search->Learn(*plan, machine.Trace());
    if (++runs % kChunk == 0) {
      const double now = ProcessorSeconds();
      chunks.push_back(now - chunk_started);
      chunk_started = now;
      if (MonotonicSeconds() - started > most_seconds) break;
    }
  }
  measured.runs = static_cast<double>(runs);
  measured.seconds = MonotonicSeconds() - started;
  measured.complete = search->Complete();
  const std::size_t quarter = chunks.size() / 4;
  double first = 0, last = 0;
  for (std::size_t i = 0; i < quarter; ++i) {
    first += chunks[i];
    last += chunks[chunks.size() - 1 - i];
  }
  measured.growth = first > 0 ? last / first : 0;
  return measured;
}

std::string Fixed(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

void AddRow(const Family& family, int n, const char* where, std::string_view strategy,
            const Measured& measured, Table* table) {
  const double rate = measured.seconds > 0 ? measured.runs / measured.seconds : 0;
  table->rows.push_back(
      {family.name, std::to_string(n), where, std::string(strategy), Count(measured.runs),
       Count(measured.blocked), measured.complete ? "yes" : "no", Fixed(measured.seconds, 2),
       Count(rate), measured.growth > 0 ? Fixed(measured.growth, 2) : "",
       measured.limit > 0 ? Count(measured.limit) : "", family.peer.genmc, family.peer.nidhugg});
}

void Check(const Family& family, int n, const Measured& measured, Table* table) {
  const double known = family.classes(n);
  if (known > 0 && measured.complete && measured.runs != known) {
    table->failures.push_back(std::string(family.name) + " of size " + std::to_string(n) + " has " +
                              Count(known) + " classes; optimal-dpor made " + Count(measured.runs) +
                              " runs.");
  }
  if (measured.blocked > 0) {
    table->failures.push_back(std::string(family.name) + ": optimal-dpor made redundant runs.");
  }
  if (measured.seconds > 0 && measured.limit > 1.5 * measured.runs / measured.seconds) {
    table->failures.push_back(std::string(family.name) +
                              ": more than 1.5 times slower than the fork server alone.");
  }
  // On a machine with other work time is measured in processor seconds; caches are still shared.
  if (measured.growth > 1.5) {
    table->failures.push_back(std::string(family.name) + ": time per run grew " +
                              Fixed(measured.growth, 2) + " times.");
  }
}

// Grows the size until the search takes long enough.
void OnTheMachine(const Family& family, const SystematicOptions& options, Table* table) {
  const double enough = options.quick ? 0.001 : options.seconds;
  for (int n = family.first; n < 60; ++n) {
    const Measured optimal = Explore(family.make(n), "optimal-dpor", 20 * enough);
    Check(family, n, optimal, table);
    const bool is_last = optimal.seconds >= enough || !optimal.complete;
    if (!is_last && n != family.first) continue;
    AddRow(family, n, "machine", "optimal-dpor", optimal, table);
    if (n == family.first) {
      AddRow(family, n, "machine", "dpor", Explore(family.make(n), "dpor", enough), table);
    }
    if (is_last) return;
  }
}

// The measurements that a program or `heddle run` writes.
Result<Measured> ReadMeasured(const std::string& text, const std::string& of) {
  const nlohmann::json result = nlohmann::json::parse(text, nullptr, false);
  if (!result.is_object()) return Error{"no result for " + of + ":\n" + text};
  Measured measured;
  measured.runs = result.value("runs", 0.0);
  measured.blocked = result.value("blocked_runs", 0.0);
  measured.seconds = result.value("seconds", 0.0);
  measured.complete = result.value("complete", false);
  return measured;
}

Result<Measured> WholeProgram(const std::string& strategy, const std::filesystem::path& directory,
                              const std::string& shape, int n, const SystematicOptions& options,
                              const std::string& checkpoint = "auto") {
  const std::string json = (directory / "json").string();
  const Result<CommandOutput> ran = RunCommand({options.heddle,
                                                "run",
                                                "--strategy",
                                                strategy,
                                                "--checkpoint",
                                                checkpoint,
                                                "--runs",
                                                "1000000000",
                                                "--time",
                                                options.quick ? "1" : Fixed(options.seconds, 0),
                                                "--keep-going",
                                                "--workers",
                                                "1",
                                                "--out",
                                                (directory / "out").string(),
                                                "--json",
                                                json,
                                                "--",
                                                (directory / "program").string(),
                                                shape,
                                                std::to_string(n)});
  if (!ran) return ran.error();
  std::ifstream file(json);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return ReadMeasured(text, shape);
}

Result<Measured> InLibrary(const std::filesystem::path& directory, const std::string& shape, int n,
                           double most_seconds) {
  const Result<CommandOutput> ran = RunCommand({"env", "HEDDLE_OUT=" + (directory / "out").string(),
                                                (directory / "library").string(), shape,
                                                std::to_string(n), Fixed(most_seconds, 0)});
  if (!ran) return ran.error();
  const std::size_t from = ran->text.find('{');
  return ReadMeasured(from == std::string::npos ? ran->text : ran->text.substr(from), shape);
}

Status Build(const std::string& source, const std::filesystem::path& program,
             const SystematicOptions& options) {
  const Result<CommandOutput> built =
      RunCommand({options.heddle, "c++", "-O2", "-g", "-std=c++20", "-pthread",
                  options.programs + "/" + source, "-o", program.string()});
  if (!built) return built.error();
  if (built->exit_code != 0) return Error{source + " does not compile:\n" + built->text};
  return {};
}

Status AddLibraryRows(const std::filesystem::path& directory, const SystematicOptions& options,
                      Table* table) {
  const double enough = options.quick ? 0.001 : options.seconds;
  for (const Family& family : kFamilies) {
    for (int n = family.library; n > 0; ++n) {
      const Result<Measured> measured =
          InLibrary(directory, family.whole_program, n, std::max(1.0, 10 * enough));
      if (!measured) return measured.error();
      Check(family, n, *measured, table);
      if (measured->complete && measured->seconds < enough) continue;
      AddRow(family, n, "library", "optimal-dpor", *measured, table);
      const double rate = measured->seconds > 0 ? measured->runs / measured->seconds : 0;
      if (!options.quick && rate < kLibraryRate) {
        table->failures.push_back(std::string(family.name) + " in the library: " + Count(rate) +
                                  " runs/s are below " + Count(kLibraryRate) + ".");
      }
      break;
    }
  }
  return {};
}

// The fork server's own limit is what it makes of runs that ask nobody between each other.
Status AddProgramRows(const std::filesystem::path& directory, const SystematicOptions& options,
                      Table* table) {
  for (const Family& family : kFamilies) {
    int n = options.quick ? family.first : family.first + 6;
    Result<Measured> measured =
        WholeProgram("optimal-dpor", directory, family.whole_program, n, options);
    while (!options.quick && measured && measured->complete &&
           measured->seconds < options.seconds) {
      Check(family, n, *measured, table);
      measured = WholeProgram("optimal-dpor", directory, family.whole_program, ++n, options);
    }
    if (!measured) return measured.error();
    const Result<Measured> limit =
        WholeProgram("random", directory, family.whole_program, n, options);
    if (!limit) return limit.error();
    measured->limit = limit->seconds > 0 ? limit->runs / limit->seconds : 0;
    Check(family, n, *measured, table);
    AddRow(family, n, "program", "optimal-dpor", *measured, table);
  }
  return {};
}

// A branch that is deep in a long run: with and without beginning there.
Status AddCheckpointRows(const std::filesystem::path& directory, const SystematicOptions& options,
                         Table* table) {
  constexpr Family kLate{"fib_bench behind 20,000 events", nullptr, nullptr, 5, "late-fib", {}};
  double without = 0;
  for (const char* const mode : {"off", "auto", "on"}) {
    const Result<Measured> measured =
        WholeProgram("optimal-dpor", directory, kLate.whole_program, kLate.first, options, mode);
    if (!measured) return measured.error();
    AddRow(kLate, kLate.first, "program", std::string("checkpoint=") + mode, *measured, table);
    const double rate = measured->seconds > 0 ? measured->runs / measured->seconds : 0;
    if (without == 0) without = rate;
    if (without > 0 && rate != without) {
      table->notes.push_back(std::string("--checkpoint=") + mode + ": " + Fixed(rate / without, 2) +
                             " times the runs per second of --checkpoint=off.");
    }
  }
  return {};
}

Status RealPrograms(const SystematicOptions& options, Table* table) {
  if (!std::filesystem::exists(options.programs + "/class_counts.cpp")) {
    table->notes.push_back("Real programs are measured in a source checkout only.");
    return {};
  }
  Result<TemporaryDirectory> directory = TemporaryDirectory::Make();
  if (!directory) return directory.error();
  const std::filesystem::path path = directory->path();
  if (const Status built = Build("class_counts.cpp", path / "program", options); !built) {
    return built.error();
  }
  if (const Status built = Build("library_counts.cpp", path / "library", options); !built) {
    return built.error();
  }
  if (const Status done = AddLibraryRows(path, options, table); !done) {
    return done.error();
  }
  table->rows.emplace_back();
  if (const Status done = AddProgramRows(path, options, table); !done) return done.error();
  table->rows.emplace_back();
  return AddCheckpointRows(path, options, table);
}

}  // namespace

Result<Table> Systematic(const SystematicOptions& options) {
  Table table;
  table.name = "systematic";
  table.title = "Exhaustive search: runs, redundant runs, runs per second";
  table.columns = {"program", "n",      "where",      "strategy",    "runs",  "redundant", "all",
                   "seconds", "runs/s", "last/first", "fork server", "GenMC", "Nidhugg"};
  for (const Family& family : kFamilies) OnTheMachine(family, options, &table);
  table.rows.emplace_back();
  if (const Status done = RealPrograms(options, &table); !done) return done.error();
  table.notes.push_back(
      "last/first: processor time per run in the last quarter of the runs over that in the first.");
  table.notes.push_back(
      "library: heddle::Explore, in process; program: heddle run, a process for each run. fork "
      "server: runs per second of the same program without any search, the limit of a program's "
      "runs.");
  table.notes.push_back(
      "GenMC 0.11 and Nidhugg: rates on a machine of this kind, from the issue that asks for this "
      "table; not measured here.");
  return table;
}

}  // namespace heddle::bench
