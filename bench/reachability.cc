#include "reachability.h"

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/rng.h"
#include "compile/process.h"
#include "explore/temporary.h"
#include "reach/brute_force.h"
#include "reach/configurations.h"
#include "reach/generate.h"
#include "reach/prefix_run.h"
#include "reach/table_programs.h"
#include "simulate/sync_machine.h"

namespace heddle::bench {
namespace {

using reach::AllSequences;
using reach::ExploreResult;
using reach::Index;
using reach::Program;
using reach::RunEnd;
using reach::Sequence;

constexpr std::size_t kMostStates = 20'000;
constexpr std::size_t kMostStatesOfSearches = 3'000;
constexpr std::uint64_t kMostRunsOfSearches = 1'000'000;

struct Measured {
  ExploreResult result;
  std::uint64_t duplicates = 0;
  double seconds = 0;
};

// What bench/programs/reachability.cpp reports of a program.
struct Real {
  std::uint64_t sequences = 0, repeated = 0, blocked = 0, deadlocks = 0, pending = 0;
  int complete = 0;
  double seconds = 0;
  double processor_seconds = 0;
};

Status Call(const std::vector<std::string>& command) {
  const heddle::Result<CommandOutput> output = RunCommand(command);
  if (!output) return output.error();
  if (output->exit_code == 0) return {};
  return Error{ShellLine(command) + "\nended with " + std::to_string(output->exit_code) + ":\n" +
               output->text};
}

// Compiles the programs with heddle and runs them.
heddle::Result<std::map<std::string, Real>> RunReal(const ReachabilityOptions& options) {
  const std::string source = options.programs + "/reachability.cpp";
  if (!std::filesystem::exists(source)) {
    return Error{"the measured programs are in a source checkout only: run ./heddle bench there"};
  }
  heddle::Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  if (!folder) return folder.error();
  const std::string& directory = folder->path();
  const std::string program = directory + "/reachability";
  const std::string results = directory + "/results";
  Status done =
      Call({options.heddle, "c++", "-O2", "-g", "-std=c++17", "-pthread", source, "-o", program});
  if (done) {
    done = Call({"env", "-C", directory, program, results, options.quick ? "small" : "all"});
  }
  std::map<std::string, Real> rows;
  std::ifstream file(results);
  std::string name;
  Real row;
  while (file >> name >> row.sequences >> row.repeated >> row.blocked >> row.deadlocks >>
         row.pending >> row.complete >> row.seconds >> row.processor_seconds) {
    rows[name] = row;
  }
  if (!done) return done.error();
  return rows;
}

// In the interpreter: counted, then again with the same seed and a look at every sequence.
Measured Explore(const Program& program, std::uint64_t seed) {
  Measured measured;
  const double begin = MonotonicSeconds();
  measured.result = reach::ExploreProgram(program, {.seed = seed});
  measured.seconds = MonotonicSeconds() - begin;
  std::set<std::vector<Index>> seen;
  reach::ExploreProgram(program, {.seed = seed}, [&](const Sequence& sequence, const RunEnd&) {
    if (!seen.insert(sequence.Identity()).second) ++measured.duplicates;
  });
  return measured;
}

std::string Number(std::uint64_t value) { return Count(static_cast<double>(value)); }

std::string Milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", seconds * 1e3);
  return text;
}

struct RowName {
  std::string name;
  std::string configuration;
  std::string paper;
  std::uint64_t expected = 0;
};

void AddRow(Table& table, const RowName& row, const Real& real, const Measured& measured) {
  const ExploreResult& result = measured.result;
  table.rows.push_back({row.name, row.configuration, row.paper, Number(real.sequences),
                        Number(real.repeated), Number(real.blocked), Number(real.deadlocks),
                        Number(real.pending), Milliseconds(real.seconds),
                        Milliseconds(real.processor_seconds), Number(result.counts.sequences),
                        Milliseconds(measured.seconds)});
  const std::string what = row.name + " " + row.configuration;
  const auto require = [&](bool holds, const std::string& text) {
    if (!holds) table.failures.push_back(what + " " + text);
  };
  if (row.expected != 0) {
    require(real.sequences == row.expected, "has " + Number(row.expected) + " sequences");
  }
  require(real.sequences == result.counts.sequences, "has as many sequences in the interpreter");
  require(real.blocked == 0 && result.counts.blocked == 0, "has no blocked runs");
  require(real.deadlocks == result.deadlocks, "has as many deadlocks in the interpreter");
  require(real.repeated == 0 && measured.duplicates == 0, "has no duplicates");
  require(real.complete == 1 && result.complete, "is explored completely");
}

// Random programs against brute force, three seeds each.
void CompareWithBruteForce(const ReachabilityOptions& options, Table& table) {
  int compared = 0;
  int too_big = 0;
  int different = 0;
  std::uint64_t sequences = 0;
  std::uint64_t blocked = 0;
  for (std::uint64_t i = 0; compared < options.random_programs; ++i) {
    Rng rng(Mix(options.seed, i));
    const Program program = reach::RandomProgram({}, rng);
    const AllSequences all = reach::BruteForce(program, kMostStates);
    if (all.too_many) {
      ++too_big;
      continue;
    }
    ++compared;
    bool same = !all.ambiguous;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      std::set<std::vector<Index>> seen;
      const ExploreResult result = reach::ExploreProgram(
          program, {.seed = seed}, [&](const Sequence& sequence, const RunEnd& end) {
            std::vector<Index> identity = sequence.Identity();
            const auto expected = all.ends.find(identity);
            same = same && expected != all.ends.end() && expected->second == end.state &&
                   seen.insert(std::move(identity)).second;
          });
      same = same && seen.size() == all.ends.size();
      sequences += result.counts.sequences;
      blocked += result.counts.blocked;
    }
    if (!same) ++different;
  }
  table.notes.push_back(Number(compared) + " random programs x 3 seeds against brute force: " +
                        Number(sequences) + " sequences, " + Number(blocked) + " blocked runs, " +
                        Number(different) + " programs with a difference (" + Number(too_big) +
                        " more had over " + Number(kMostStates) + " states).");
  if (different > 0) {
    table.failures.push_back("reachability testing finds what brute force finds, each once");
  }
}

// The strategies themselves, on a machine that leaves what the runtime leaves.
void CompareSearches(const ReachabilityOptions& options, Table& table) {
  int compared = 0;
  int different = 0;
  std::uint64_t runs = 0;
  std::uint64_t dpor_runs = 0;
  for (std::uint64_t i = 0; compared < options.random_programs; ++i) {
    Rng rng(Mix(options.seed, ~i));
    const Program program = reach::RandomProgram({.ports_only = i % 3 == 0}, rng);
    const AllSequences all = reach::BruteForce(program, kMostStatesOfSearches);
    if (all.too_many) continue;
    ++compared;
    std::set<reach::FinalState> states;
    for (const auto& [sequence, state] : all.ends) states.insert(state);
    const simulate::SyncStates one =
        simulate::StatesBy("reachability", program, kMostRunsOfSearches);
    const simulate::SyncStates other =
        simulate::StatesBy("optimal-dpor", program, kMostRunsOfSearches);
    runs += one.runs;
    dpor_runs += other.runs;
    const bool same =
        one.complete && other.complete && one.states == states && other.states == states;
    if (!same) ++different;
  }
  table.notes.push_back(Number(compared) +
                        " random programs, a third of them ports and selects only, through "
                        "reachability (" +
                        Number(runs) + " runs) and optimal-dpor (" + Number(dpor_runs) +
                        " runs): " + Number(different) +
                        " programs whose final states or deadlocks differ from brute force.");
  if (different > 0) {
    table.failures.push_back("reachability and optimal-dpor end in the same states");
  }
}

// Other sizes and other programs than the paper's: interpreted, by the strategy, and by brute force
// where that comes to an end.
void CompareConfigurations(const ReachabilityOptions& options, Table& table) {
  const std::uint64_t most_runs = options.quick ? 1'000 : 50'000;
  const std::size_t most_states = options.quick ? 1'000 : 60'000;
  int compared = 0;
  int by_brute_force = 0;
  int too_big = 0;
  std::uint64_t sequences = 0;
  for (const reach::Configuration& each : reach::Configurations()) {
    const ExploreResult result =
        reach::ExploreProgram(each.program, {.seed = options.seed, .most_runs = most_runs});
    if (!result.complete) {
      ++too_big;
      continue;
    }
    ++compared;
    sequences += result.counts.sequences;
    const simulate::SyncStates found =
        simulate::StatesBy("reachability", each.program, 2 * most_runs);
    bool same = found.complete && found.runs - found.blocked == result.counts.sequences;
    const AllSequences all = reach::BruteForce(each.program, most_states);
    if (!all.too_many) {
      ++by_brute_force;
      same = same && !all.ambiguous && all.ends.size() == result.counts.sequences;
    }
    if (!same) table.failures.push_back(each.name + " has the same sequences however counted");
  }
  table.notes.push_back(Number(compared) + " other configurations, " + Number(sequences) +
                        " sequences: as many in the interpreter as by the strategy, and for " +
                        Number(by_brute_force) + " of them by brute force (" + Number(too_big) +
                        " more had over " + Number(most_runs) + " sequences).");
}

}  // namespace

heddle::Result<Table> Reachability(const ReachabilityOptions& options) {
  const heddle::Result<std::map<std::string, Real>> reals = RunReal(options);
  if (!reals) return reals.error();
  Table table;
  table.name = "reachability";
  table.title =
      "Number of SYN-sequences (Table 1 of Carver, Lei, A General Model for Reachability Testing "
      "of Concurrent Programs)";
  table.columns = {"program",   "configuration", "paper", "ours",   "duplicates",  "blocked",
                   "deadlocks", "pending",       "ms",    "cpu ms", "interpreted", "ms"};
  Real total;
  double philosophers = 0;
  for (const reach::TableRow& row : reach::TableOne()) {
    const std::string name(row.name);
    const std::string configuration(row.configuration);
    const auto real = reals->find(std::string(row.real));
    if (real == reals->end()) continue;
    total.seconds += real->second.seconds;
    total.processor_seconds += real->second.processor_seconds;
    if (row.expected == 19330) philosophers = real->second.processor_seconds;
    AddRow(table, {name, configuration, Number(row.paper), row.expected}, real->second,
           Explore(row.make(), options.seed));
  }
  table.rows.push_back({});
  constexpr std::uint64_t kPhilosophers[] = {3, 7, 15, 31};
  for (int n = 2; n <= 5; ++n) {
    const std::string size = std::to_string(n);
    const auto real = reals->find("DP-Semaphore-" + size);
    if (real == reals->end()) return Error{"the measured programs left out philosophers"};
    AddRow(table, {"DP-Semaphore", size, "", kPhilosophers[n - 2]}, real->second,
           Explore(reach::PhilosophersSemaphore(n), options.seed));
    if (real->second.deadlocks != 1) {
      table.failures.push_back("DP-Semaphore " + size + " has one deadlock");
    }
  }
  table.notes.push_back(
      "Programs written with <heddle/sync.h>, one heddle::Explore each, its start included; \"cpu "
      "ms\" is the processor time of all its processes. Most of what DP-Semaphore takes is the "
      "report of its deadlock. \"interpreted\" is the same program on the interpreter of "
      "src/reach.");
  table.notes.push_back(
      "BB-Semaphore: the paper's table says 384 on average, duplicates included; its text 324 "
      "unique ones.");
  table.notes.push_back(
      "RW-Monitor SC: the paper does not print its program; this one is the authors' later form, "
      "not fitted to the number.");
  table.notes.push_back(
      "The paper's table took " + Milliseconds(total.seconds) + " ms in all, " +
      Milliseconds(total.processor_seconds) +
      " ms of processor time; the paper needed 7 minutes for DP-Monitor SU with 5.");
  CompareWithBruteForce(options, table);
  CompareSearches(options, table);
  CompareConfigurations(options, table);
  if (!options.quick) {
    // Processor time of all processes is what it takes on an idle core, whatever else the machine
    // does.
    if (philosophers >= 1) table.failures.push_back("DP-Monitor SU with 5 takes under 1 s");
    if (total.processor_seconds >= 10) table.failures.push_back("the whole table takes under 10 s");
  }
  return table;
}

}  // namespace heddle::bench
