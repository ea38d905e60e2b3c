#include "core.h"

#include <cstdio>
#include <functional>
#include <optional>

#include "core_runs.h"
#include "core_switch.h"

namespace heddle::bench {
namespace {

constexpr double kFiberLimit = 25;         // ns
constexpr double kFiberAdvantage = 20;     // times cheaper than the baton
constexpr double kAccessLimit = 1.2;       // of libtsan's cost
constexpr double kForkLimit = 2;           // of a bare fork's time: half of its rate
constexpr double kLibraryRate = 500'000;   // runs/s of the tiny test in process, random
constexpr double kDecisionBase = 100;      // ns
constexpr double kDecisionPerThread = 10;  // ns
constexpr double kGrowthLimit = 1.5;       // "does not get dearer", on a machine that is not quiet

const char* const kLoops[] = {"sum", "read-modify-write", "chase", "leaf-call"};

std::string Text(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string Ns(double value) { return Text("%.1f ns", value); }
std::string Us(double value) { return Text("%.0f us", value / 1000); }
std::string Times(double value) { return Text("%.2fx", value); }

struct Row {
  std::string what = {};
  std::string minimum = {};
  std::string median = {};
  std::string compared_with = {};  // empty: nothing
  double judged = 0;               // what the limit is for
  double limit = 0;                // 0: only shown
  std::string limit_text = {};
};

class Report {
 public:
  explicit Report(bool judges) : judges_(judges) {
    table_.name = "core";
    table_.title = "What the engine costs (minimum and median over repetitions)";
    table_.columns = {"figure", "min", "median", "compared with", "limit", "verdict"};
  }

  void Add(const Row& row) {
    const bool holds = row.limit == 0 || row.judged <= row.limit;
    table_.rows.push_back({row.what, row.minimum, row.median, row.compared_with, row.limit_text,
                           row.limit == 0 ? "" : (holds ? "holds" : "ABOVE")});
    if (!holds && judges_) {
      table_.failures.push_back(row.what + ": " + row.minimum + " is above " + row.limit_text);
    }
  }
  void Rule() { table_.rows.push_back({}); }
  Table* table() { return &table_; }

 private:
  bool judges_;
  Table table_;
};

using Measure = std::function<Result<Figures>()>;

class CoreBench {
 public:
  CoreBench(const CoreOptions& options, Runs runs)
      : options_(options), runs_(std::move(runs)), report_(!options.quick) {}

  Result<Table> Make() {
    Switches();
    for (const auto part : {&CoreBench::Decisions, &CoreBench::Accesses, &CoreBench::Events,
                            &CoreBench::Forks, &CoreBench::Library}) {
      report_.Rule();
      if (const Status status = (this->*part)(); !status) return status.error();
    }
    report_.table()->notes.push_back(
        "The limits are for the minimum, except for fiber / baton, whose threads sometimes meet "
        "without a sleep, and the fork server's, where a search is measured as a whole: theirs are "
        "for the median. Other programs on the machine raise all figures; ratios compare what was "
        "measured in this call, by turns.");
    return *report_.table();
  }

 private:
  int Size(int full, int quick) const { return options_.quick ? quick : full; }

  // The same again, and the best of it.
  Result<Figures> Best(const std::vector<Measure>& by_turns, std::vector<Figures>* others) {
    std::vector<std::map<std::string, std::vector<Figure>>> all(by_turns.size());
    for (int i = 0; i < Size(options_.repetitions, 1); ++i) {
      for (std::size_t j = 0; j < by_turns.size(); ++j) {
        const Result<Figures> figures = by_turns[j]();
        if (!figures) return figures.error();
        for (const auto& [name, figure] : *figures) all[j][name].push_back(figure);
      }
    }
    std::vector<Figures> merged(by_turns.size());
    for (std::size_t j = 0; j < by_turns.size(); ++j) {
      for (const auto& [name, figures] : all[j]) merged[j][name] = Merge(figures);
    }
    if (others != nullptr) *others = {merged.begin() + 1, merged.end()};
    return merged[0];
  }

  void Switches() {
    // Short repetitions for the fiber: most are not interrupted.
    fiber_ = BareFiberSwitch(Size(20'000, 200), Size(200, 3));
    const Figure baton = BareBatonSwitch(Size(2'000, 20), Size(50, 3));
    report_.Add({.what = "bare switch, fiber",
                 .minimum = Ns(fiber_.minimum),
                 .median = Ns(fiber_.median),
                 .judged = fiber_.minimum,
                 .limit = kFiberLimit,
                 .limit_text = Ns(kFiberLimit)});
    report_.Add(
        {.what = "bare switch, baton", .minimum = Ns(baton.minimum), .median = Ns(baton.median)});
    // By the medians: where the kernel holds one of the two threads up, the other one finds the
    // baton there already, and a repetition may cost 86 ns a switch instead of 22,000.
    const double ratio = fiber_.median / baton.median;
    report_.Add({.what = "fiber / baton",
                 .minimum = Text("1/%.0f", baton.minimum / fiber_.minimum),
                 .median = Text("1/%.0f", 1 / ratio),
                 .judged = ratio,
                 .limit = 1 / kFiberAdvantage,
                 .limit_text = Text("1/%.0f", kFiberAdvantage)});
  }

  // A yield: announce, decide, record, switch.
  Status Decisions() {
    for (const int threads : {2, 8, 64, 200}) {
      const int yields = Size(200'000, 2'000) / threads;
      const Words arguments = {std::to_string(threads), std::to_string(yields)};
      const Result<Figures> figures =
          Best({[&] {
                 return runs_.UnderHeddle("decide", arguments, {"--strategy", "random"});
               }},
               nullptr);
      if (!figures) return figures.error();
      const Figure figure = figures->at("decision");
      const double limit = kDecisionBase + kDecisionPerThread * threads;
      // Of n threads the chosen one is another in n - 1 of n cases.
      const double switching = fiber_.minimum * (threads - 1) / threads;
      report_.Add({.what = "decision among " + std::to_string(threads) + ", with its event",
                   .minimum = Ns(figure.minimum - switching),
                   .median = Ns(figure.median - switching),
                   .compared_with = Ns(switching) + " of switching taken off",
                   .judged = figure.minimum - switching,
                   .limit = limit,
                   .limit_text = Ns(limit)});
    }
    return {};
  }

  Status Accesses() {
    const Words arguments = {std::to_string(Size(20'000, 1'000))};
    std::vector<Figures> others;
    const Result<Figures> ours = Best({[&] { return runs_.UnderHeddle("access", arguments, {}); },
                                       [&] { return runs_.Natively("access-tsan", arguments); },
                                       [&] { return runs_.Natively("access", arguments); }},
                                      &others);
    if (!ours) return ours.error();
    for (const char* const loop : kLoops) {
      const Figure figure = ours->at(loop);
      const Figure tsan = others[0].at(loop);
      report_.Add({.what = std::string("access, ") + loop,
                   .minimum = Ns(figure.minimum),
                   .median = Ns(figure.median),
                   .compared_with = "libtsan " + Ns(tsan.minimum) + ", dormant " +
                                    Ns(others[1].at(loop).minimum),
                   .judged = figure.minimum,
                   .limit = kAccessLimit * tsan.minimum,
                   .limit_text = Ns(kAccessLimit * tsan.minimum)});
    }
    return {};
  }

  // Events without a decision: later in the run, and among more threads.
  Status Events() {
    const int longest = Size(1'000'000, 1'000);
    const Result<Figures> one = EventsOf(2, longest);
    if (!one) return one.error();
    for (const std::string kind : {"mutex", "atomic"}) {
      for (int events = 1'000; events <= longest; events *= 10) {
        AddEvent(kind + " event, near the " + Count(events) + "th",
                 one->at(kind + "-" + std::to_string(events)), one->at(kind + "-1000"),
                 "the first ones");
      }
    }
    const int length = Size(100'000, 1'000);
    std::optional<Figures> few;
    for (const int threads : {2, 8, 64, 200}) {
      const Result<Figures> figures = EventsOf(threads, length);
      if (!figures) return figures.error();
      if (!few) few = *figures;
      for (const std::string kind : {"mutex", "atomic"}) {
        const std::string name = kind + "-" + std::to_string(length);
        AddEvent(kind + " event, " + std::to_string(threads) + " threads", figures->at(name),
                 few->at(name), "2 threads");
      }
    }
    return {};
  }

  Result<Figures> EventsOf(int threads, int events) {
    const Words arguments = {std::to_string(threads), std::to_string(events)};
    return Best({[&] {
                  return runs_.UnderHeddle("event", arguments, {"--max-steps", "4000000"});
                }},
                nullptr);
  }

  void AddEvent(const std::string& what, Figure figure, Figure base, const std::string& name) {
    report_.Add({.what = what,
                 .minimum = Ns(figure.minimum),
                 .median = Ns(figure.median),
                 .compared_with = Times(figure.minimum / base.minimum) + " of " + name,
                 .judged = figure.minimum,
                 .limit = kGrowthLimit * base.minimum,
                 .limit_text = Times(kGrowthLimit)});
  }

  Status Forks() {
    const Words arguments = {std::to_string(Size(1'000, 20))};
    const Measure search = [&]() -> Result<Figures> {
      const Result<double> cost = runs_.RunCost("tiny", Size(3'000, 20));
      if (!cost) return cost.error();
      return Figures{{"run", {*cost, *cost}}};
    };
    std::vector<Figures> others;
    const Result<Figures> ours =
        Best({search, [&] { return runs_.UnderHeddle("tiny", arguments, {}); },
              [&] { return runs_.Natively("tiny", arguments); }},
             &others);
    if (!ours) return ours.error();
    const Figure run = ours->at("run");
    const Figure bare = others[0].at("fork");
    const Figure native = others[1].at("fork");
    report_.Add({.what = "bare fork, exit, wait of the same process",
                 .minimum = Us(bare.minimum),
                 .median = Us(bare.median),
                 .compared_with = "dormant " + Us(native.minimum)});
    report_.Add({.what = "run of a tiny program, fork server",
                 .minimum = Us(run.minimum),
                 .median = Us(run.median),
                 .compared_with = Times(bare.median / run.median) + " of the bare rate (" +
                                  Times(bare.minimum / run.minimum) + " by minima)",
                 // A search is long: it has the machine's average noise, as the median has.
                 .judged = run.median,
                 .limit = kForkLimit * bare.median,
                 .limit_text = Us(kForkLimit * bare.median)});
    return {};
  }

  // heddle::Explore: the tiny test in process, then longer ones, which must cost as much per event.
  Status Library() {
    std::optional<double> per_event;
    for (const int rounds : {1, 10, 100}) {
      const Words arguments = {std::to_string(Size(400'000 / rounds, 1'000)), "random",
                               std::to_string(rounds)};
      const Result<Figures> figures =
          Best({[&] { return runs_.Natively("library", arguments); }}, nullptr);
      if (!figures) return figures.error();
      const Figure run = figures->at("run");
      const double events = figures->at("events").median;
      if (!per_event) per_event = run.minimum / events;
      const double limit = rounds == 1 ? 1e9 / kLibraryRate : kGrowthLimit * *per_event * events;
      report_.Add({.what = "run in process, " + Text("%.0f events", events),
                   .minimum = Ns(run.minimum),
                   .median = Ns(run.median),
                   .compared_with = Text("%.0f runs/s, ", 1e9 / run.minimum) +
                                    Ns(run.minimum / events) + " an event",
                   .judged = run.minimum,
                   .limit = limit,
                   .limit_text = Ns(limit)});
    }
    return {};
  }

  using Words = std::vector<std::string>;

  CoreOptions options_;
  Runs runs_;
  Report report_;
  Figure fiber_;
};

}  // namespace

Result<Table> Core(const CoreOptions& options) {
  Result<Runs> runs = Runs::Prepare({.heddle = options.heddle, .sources = options.programs},
                                    {"access", "decide", "event", "library", "tiny"});
  if (!runs) return runs.error();
  if (const Status built = runs->BuildWithTsan("access"); !built) return built.error();
  return CoreBench(options, std::move(*runs)).Make();
}

}  // namespace heddle::bench
