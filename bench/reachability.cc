#include "reachability.h"

#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/rng.h"
#include "reach/brute_force.h"
#include "reach/generate.h"
#include "reach/prefix_run.h"
#include "reach/table_programs.h"

namespace heddle::bench {
namespace {

using reach::AllSequences;
using reach::ExploreResult;
using reach::Index;
using reach::Program;
using reach::RunEnd;
using reach::Sequence;

constexpr std::size_t kMostStates = 20'000;

struct Measured {
  ExploreResult result;
  std::uint64_t duplicates = 0;
  double seconds = 0;
};

// Timed without looking for duplicates, then again with the same seed and a look at every sequence.
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

void AddRow(Table& table, const std::string& name, const std::string& configuration,
            const std::string& paper, std::uint64_t expected, const Measured& measured) {
  const ExploreResult& result = measured.result;
  table.rows.push_back({name, configuration, paper, Number(result.counts.sequences),
                        Number(measured.duplicates), Number(result.counts.blocked),
                        Number(result.deadlocks), Number(result.counts.most_pending),
                        Milliseconds(measured.seconds)});
  const std::string what = name + " " + configuration;
  if (expected != 0 && result.counts.sequences != expected) {
    table.failures.push_back(what + " has " + Number(expected) + " sequences");
  }
  if (measured.duplicates != 0) table.failures.push_back(what + " has no duplicates");
  if (!result.complete) table.failures.push_back(what + " is explored completely");
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
            const reach::FinalState state{end.deadlocked, end.failed, end.variables};
            same = same && expected != all.ends.end() && expected->second == state &&
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

}  // namespace

Table Reachability(const ReachabilityOptions& options) {
  Table table;
  table.name = "reachability";
  table.title =
      "Number of SYN-sequences (Table 1 of Carver, Lei, A General Model for Reachability Testing "
      "of Concurrent Programs)";
  table.columns = {"program", "configuration", "paper",   "ours", "duplicates",
                   "blocked", "deadlocks",     "pending", "ms"};
  double total = 0;
  double philosophers = 0;
  for (const reach::TableRow& row : reach::TableOne()) {
    const Measured measured = Explore(row.make(), options.seed);
    total += measured.seconds;
    if (row.expected == 19330) philosophers = measured.seconds;
    AddRow(table, std::string(row.name), std::string(row.configuration), Number(row.paper),
           row.expected, measured);
  }
  table.rows.push_back({});
  constexpr std::uint64_t kPhilosophers[] = {3, 7, 15, 31};
  for (int n = 2; n <= 5; ++n) {
    const Measured measured = Explore(reach::PhilosophersSemaphore(n), options.seed);
    AddRow(table, "DP-Semaphore", std::to_string(n), "", kPhilosophers[n - 2], measured);
    if (measured.result.deadlocks != 1) {
      table.failures.push_back("DP-Semaphore " + std::to_string(n) + " has one deadlock");
    }
  }
  table.notes.push_back(
      "Programs run in memory, on the interpreter of src/reach, not as compiled C++; one run each "
      "sequence.");
  table.notes.push_back(
      "BB-Semaphore: the paper's table says 384 on average, duplicates included; its text 324 "
      "unique ones.");
  table.notes.push_back(
      "RW-Monitor SC: the paper does not print its program; this one is the authors' later form, "
      "not fitted to the number.");
  table.notes.push_back("The table took " + Milliseconds(total) +
                        " ms in all; the paper needed 7 minutes for DP-Monitor SU with 5.");
  CompareWithBruteForce(options, table);
  if (options.check_times) {
    if (philosophers >= 1) table.failures.push_back("DP-Monitor SU with 5 takes under 1 s");
    if (total >= 10) table.failures.push_back("the whole table takes under 10 s");
  }
  return table;
}

}  // namespace heddle::bench
