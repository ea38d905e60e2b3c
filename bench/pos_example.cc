#include "pos_example.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "core_runs.h"
#include "simulate/classes.h"
#include "simulate/generate.h"
#include "simulate/paper_programs.h"
#include "simulate/sample.h"

namespace heddle::bench {
namespace {

using simulate::ExactClass;
using simulate::Program;
using simulate::SampleCounts;

constexpr double kMostErrors = 4;
constexpr const char* kRealFigure2 = "Fig. 2 as C++";

// What the paper derives for its running example; PCT in its textbook form. POS comes last.
struct Figure2Sampler {
  const char* strategy;
  double paper;
};
constexpr Figure2Sampler kFigure2[] = {{"random", 1.0 / 128},
                                       {"pct:depth=3,k=10,classic=on", 1.0 / 200},
                                       {"basic-pos", 1.0 / 120},
                                       {"pos", 1.0 / 48}};

// Runs of one sampler on one program: the rarest class included, 0 when one was never met.
struct Measured {
  double hit_ratio = 0;
  double rarest = 0;
};

Measured Measure(const Program& program, const std::string& strategy, std::uint64_t runs,
                 std::uint64_t seed, std::size_t classes) {
  const SampleCounts counts =
      simulate::Sample(program, {.strategy = strategy, .runs = runs, .seed = seed});
  std::uint64_t rarest = counts.runs;
  for (const auto& [hash, count] : counts.classes) rarest = std::min(rarest, count);
  if (counts.classes.size() < classes) rarest = 0;
  return {.hit_ratio = counts.HitRatio(),
          .rarest = static_cast<double>(rarest) / static_cast<double>(runs)};
}

double StandardError(double p, std::uint64_t runs) {
  return std::sqrt(p * (1 - p) / static_cast<double>(runs));
}

class Builder {
 public:
  explicit Builder(const PosExampleOptions& options) : options_(options) {
    table_.name = "pos-example";
    table_.title = "The figures of Yuan, Yang, Gu (CAV 2018): probability of the bug";
    table_.columns = {
        "program", "sampler", "runs", "paper", "measured", "errors off", "rarest partial order"};
  }

  void Figure2() {
    const Program program = simulate::Figure2();
    const std::size_t classes = simulate::ExactClasses(program).size();
    if (classes != 12) table_.failures.push_back("Fig. 2 has 12 partial orders");
    Measured pos;
    for (const Figure2Sampler& sampler : kFigure2) {
      pos = Row(program, sampler.strategy, options_.runs, sampler.paper, classes);
    }
    if (pos.rarest < 1.0 / 60 - kMostErrors * StandardError(1.0 / 60, options_.runs)) {
      table_.failures.push_back("no partial order of Fig. 2 is sampled by POS less than 1 in 60");
    }
    for (const char* const other : {"pct", "rapos", "urw", "surw"}) {
      Row(program, other, options_.runs / 10, std::nullopt, classes);
    }
    table_.rows.push_back({});
  }

  // The same as C++ with std::atomic and sem_t, in process. Which partial orders it has is the
  // abstract machine's to say; how many there are can be counted here too.
  Status Figure2AsRealProgram() {
    Result<Runs> runs =
        Runs::Prepare({.heddle = options_.heddle, .sources = options_.programs}, {"pos_example"});
    if (!runs) return runs.error();
    for (const Figure2Sampler& sampler : kFigure2) {
      const Result<Figures> figures = runs->Natively(
          "pos_example",
          {std::to_string(options_.real_runs), sampler.strategy, std::to_string(options_.seed)});
      if (!figures) return figures.error();
      const double count = figures->at("runs").minimum;
      const double ratio = figures->at("shown").minimum / count;
      const std::string off = Compare(kRealFigure2, sampler.strategy, ratio, sampler.paper,
                                      static_cast<std::uint64_t>(count));
      const double classes = figures->at("classes").minimum;
      if (classes > 12) table_.failures.push_back("Fig. 2 as C++ has 12 partial orders");
      table_.rows.push_back({kRealFigure2, sampler.strategy, Count(count), OneIn(sampler.paper),
                             OneIn(ratio), off, Count(classes) + " seen"});
    }
    table_.rows.push_back({});
    return {};
  }

  void Figure1a() {
    for (const int m : {4, 8, 16}) {
      const Program program = simulate::Figure1a(m);
      const std::uint64_t runs = options_.runs / 10;
      Row(program, "random", runs, std::pow(0.5, m), 2);
      Row(program, "pct:depth=1", runs, 0.5, 2);
      Row(program, "basic-pos", runs, 1.0 / (m + 1), 2);
      Row(program, "pos", runs, 1.0 / (m + 1), 2);
      Row(program, "surw", runs, std::nullopt, 2);
      table_.rows.push_back({});
    }
  }

  // The paper gives bounds, not numbers: minima over the partial orders, the random walk's exact.
  void Figure3() {
    for (const auto& [threads, m] : {std::pair{2, 1}, {2, 2}, {2, 4}, {3, 1}}) {
      const Program program = simulate::Figure3(threads, m);
      const std::vector<ExactClass> classes = simulate::ExactClasses(program);
      double least = 1;
      for (const ExactClass& exact : classes) least = std::min(least, exact.random_walk);
      const std::uint64_t runs = options_.runs / 10;
      const Measured pos = Measure(program, "pos", runs, options_.seed, classes.size());
      table_.rows.push_back({program.name, "random (exact)", "-", "-", "-", "-", OneIn(least)});
      table_.rows.push_back({program.name, "pos", Count(static_cast<double>(runs)), "-", "-", "-",
                             OneIn(pos.rarest)});
      // One that was never met says something only where the random walk would have met it.
      const bool never_met = pos.rarest == 0 && least * static_cast<double>(runs) < 20;
      if (pos.rarest < least && !never_met) {
        table_.failures.push_back("POS meets the rarest partial order of " + program.name +
                                  " more often than the random walk");
      }
    }
  }

  // The micro-benchmarks' size: four threads with four accesses each, on four objects.
  void Speed() {
    constexpr int kAccesses[] = {4, 4, 4, 4};
    constexpr double kLeast = 1e6;
    Rng rng(options_.seed);
    const Program program = simulate::MicroProgram({.accesses = kAccesses}, rng);
    const std::uint64_t runs = options_.runs / 5;
    double best = 0;
    for (int i = 0; i < 5; ++i) {
      const auto began = std::chrono::steady_clock::now();
      simulate::Sample(
          program,
          {.strategy = "pos", .runs = runs / 5, .seed = options_.seed, .count_classes = false});
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
      best = std::max(best, static_cast<double>(runs / 5) / took.count());
    }
    table_.notes.push_back(
        "POS makes " + Count(best) +
        " runs/s of a program with 16 events on the abstract machine, on one core.");
    if (best < kLeast) table_.failures.push_back("POS makes a million runs/s of 16 events");
  }

  Table Take() { return std::move(table_); }

 private:
  Measured Row(const Program& program, const std::string& strategy, std::uint64_t runs,
               std::optional<double> paper, std::size_t classes) {
    const Measured measured = Measure(program, strategy, runs, options_.seed, classes);
    const std::string off =
        paper ? Compare(program.name, strategy, measured.hit_ratio, *paper, runs) : "-";
    table_.rows.push_back({program.name, strategy, Count(static_cast<double>(runs)),
                           paper ? OneIn(*paper) : "-", OneIn(measured.hit_ratio), off,
                           measured.rarest > 0 ? OneIn(measured.rarest) : "not all met"});
    return measured;
  }

  // By how many standard errors the ratio is off, as text; far off is a failure.
  std::string Compare(const std::string& program, const std::string& strategy, double ratio,
                      double paper, std::uint64_t runs) {
    const double errors = (ratio - paper) / StandardError(paper, runs);
    if (std::fabs(errors) > kMostErrors) {
      table_.failures.push_back(program + " under " + strategy + ": " + OneIn(ratio) +
                                " instead of " + OneIn(paper));
    }
    char text[32];
    std::snprintf(text, sizeof text, "%+.1f", errors);
    return text;
  }

  const PosExampleOptions options_;
  Table table_;
};

}  // namespace

Result<Table> PosExample(const PosExampleOptions& options) {
  Builder builder(options);
  builder.Figure2();
  if (const Status made = builder.Figure2AsRealProgram(); !made) return made.error();
  builder.Figure1a();
  builder.Figure3();
  builder.Speed();
  return builder.Take();
}

}  // namespace heddle::bench
