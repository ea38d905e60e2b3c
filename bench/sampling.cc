#include "sampling.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "compile/process.h"
#include "core_runs.h"
#include "explore/temporary.h"
#include "figure_store.h"
#include "sampling_cases.h"

namespace heddle::bench {
namespace {

using Words = std::vector<std::string>;

struct Sampler {
  const char* column;
  const char* strategy;
  double PaperRow::*paper;  // null: not in the paper's table
};

constexpr Sampler kSamplers[] = {
    {"random", "random", &PaperRow::random},
    {"pct-2", "pct:depth=2", &PaperRow::pct2},
    {"pct-3", "pct:depth=3", &PaperRow::pct3},
    {"pct-5", "pct:depth=5", &PaperRow::pct5},
    {"pct-20", "pct:depth=20", &PaperRow::pct20},
    {"pos", "pos", &PaperRow::pos},
    {"urw", "urw", nullptr},
    {"surw", "surw", nullptr},
    {"auto", "auto", nullptr},
};
constexpr std::size_t kFixed = std::size(kSamplers) - 1;  // all but auto

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// What one search of one program told.
struct Searched {
  std::uint64_t runs = 0;
  std::uint64_t samples = 0;  // since the scheduling points last changed
  std::uint64_t hits = 0;     // among the samples
  double seconds = 0;
  bool complete = false;  // everything was tried: there is no ratio
  bool leaks = false;     // in process: a run saw what an earlier one left

  double HitRatio() const {
    return samples == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(samples);
  }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Searched, runs, samples, hits, seconds, complete, leaks)

struct Wanted {
  std::string strategy;
  std::uint64_t runs = 0;
  std::uint64_t seed = 1;
  bool keep_going = false;
};

// The programs of the corpus, built when they are first needed, and what searching them gives.
class Programs {
 public:
  Programs(const SamplingOptions& options, std::string directory, FigureStore* figures)
      : options_(options), directory_(std::move(directory)), figures_(figures) {}

  // In process where that can be: what a program allocates before main is not put back, so where
  // that matters every run gets a process of its own.
  Result<Searched> Search(const SamplingCase& of, bool fixed, const Wanted& wanted) {
    const std::string name = "sampling " + std::string(of.name) + (fixed ? "-fixed" : "") + ", " +
                             wanted.strategy + ", seed " + std::to_string(wanted.seed) + ", " +
                             std::to_string(wanted.runs) + " runs" +
                             (wanted.keep_going ? "" : " to the first failure");
    std::string error;
    const nlohmann::json figure = figures_->Get(name, [&]() -> nlohmann::json {
      Result<Searched> searched = Repeat(of, fixed, wanted);
      if (searched && searched->leaks) searched = Fork(of, fixed, wanted);
      if (searched) return *searched;
      error = searched.error().text;
      return nullptr;
    });
    if (!error.empty() || !figure.is_object()) return Error{error};
    return figure.get<Searched>();
  }

 private:
  // The program as the body of heddle::Explore: see programs/repeat.cpp.
  Result<Searched> Repeat(const SamplingCase& of, bool fixed, const Wanted& wanted) {
    const Result<std::string> program = Build(of, fixed, /*repeat=*/true);
    if (!program) return program.error();
    const std::string results = directory_ + "/results";
    std::error_code ignored;
    std::filesystem::remove(results, ignored);
    Words command = {*program,
                     results,
                     std::to_string(wanted.runs),
                     wanted.strategy,
                     std::to_string(wanted.seed),
                     std::to_string(options_.seconds) + "s"};
    if (wanted.keep_going) command.emplace_back("keep-going");
    const Result<CommandOutput> output = RunCommand(command);
    if (!output) return output.error();
    const Result<Figures> figures = ReadFigures(results);
    if (!figures) return Error{ShellLine(command) + ":\n" + output->text};
    const auto number = [&](const char* name) { return figures->at(name).minimum; };
    Searched searched;
    searched.seconds = number("seconds");
    searched.runs = searched.samples = static_cast<std::uint64_t>(number("runs"));
    searched.hits = static_cast<std::uint64_t>(number("hits"));
    // Behind a failure nothing is proved in process, so an exhaustive search that is through with
    // all it knows of just ends.
    searched.complete =
        number("complete") != 0 || (wanted.keep_going && searched.runs < wanted.runs &&
                                    searched.seconds < static_cast<double>(options_.seconds));
    searched.leaks = number("leaks") != 0;
    return searched;
  }

  Result<Searched> Fork(const SamplingCase& of, bool fixed, const Wanted& wanted) {
    const Result<std::string> program = Build(of, fixed, /*repeat=*/false);
    if (!program) return program.error();
    const std::string json = directory_ + "/json";
    Words command = {options_.heddle, "run",
                     "--out",         directory_ + "/out",
                     "--time",        std::to_string(options_.seconds) + "s",
                     "--races",       "off",
                     "--json",        json,
                     "--strategy",    wanted.strategy,
                     "--runs",        std::to_string(wanted.runs),
                     "--seed",        std::to_string(wanted.seed)};
    if (wanted.keep_going) command.emplace_back("--keep-going");
    command.insert(command.end(), {"--", *program});
    const Result<CommandOutput> output = RunCommand(command);
    if (!output) return output.error();
    std::ifstream file(json);
    const nlohmann::json result = nlohmann::json::parse(file, nullptr, false);
    if (!result.is_object()) return Error{ShellLine(command) + ":\n" + output->text};
    Searched searched;
    searched.runs = result.value("runs", std::uint64_t{0});
    searched.seconds = result.value("seconds", 0.0);
    searched.complete = result.value("complete", false);
    searched.samples = result["verdict"].value("runs", std::uint64_t{0});
    const double ratio = result["verdict"].value("hit_ratio", 0.0);
    searched.hits =
        static_cast<std::uint64_t>(std::lround(ratio * static_cast<double>(searched.samples)));
    if (searched.hits == 0 && !result["findings"].empty()) searched.hits = 1;
    return searched;
  }

  Result<std::string> Build(const SamplingCase& of, bool fixed, bool repeat) {
    std::string program = directory_ + "/" + std::string(of.name);
    program += std::string(fixed ? "-fixed" : "") + (repeat ? "-repeated" : "");
    if (std::filesystem::exists(program)) return program;
    Words more = {"-o", program, fixed ? "-DFIXED" : "-DBROKEN"};
    if (repeat) {
      more.push_back(options_.corpus + "/../programs/repeat.cpp");
      more.emplace_back("-Wl,--wrap=main");
    }
    const Status built = Compile(of, more);
    if (!built) return built.error();
    return program;
  }

  Status Compile(const SamplingCase& of, const Words& more) {
    Words command = {options_.heddle, "c++", "-std=c++20", "-O1", "-g", "-pthread"};
    if (!of.define.empty()) command.emplace_back(of.define);
    command.push_back(options_.corpus + "/" + std::string(of.source) + ".cpp");
    command.insert(command.end(), more.begin(), more.end());
    const Result<CommandOutput> output = RunCommand(command);
    if (!output) return output.error();
    if (output->exit_code != 0) return Error{ShellLine(command) + ":\n" + output->text};
    return {};
  }

  const SamplingOptions& options_;
  const std::string directory_;
  FigureStore* const figures_;
};

struct GeometricMean {
  double sum = 0;
  int count = 0;

  void Add(double value) {
    sum += std::log(value);
    ++count;
  }
  double Value() const { return count == 0 ? 0 : std::exp(sum / count); }
};

struct Totals {
  std::vector<GeometricMean> ours{std::size(kSamplers)};
  std::vector<GeometricMean> paper{std::size(kSamplers)};
  GeometricMean auto_ratio;
  double auto_worst = 0;
  std::string auto_worst_case;
};

// Runs that auto needed to the first failure, averaged over seeds; a search that found nothing
// counts with all its runs.
Result<double> RunsOfAuto(const SamplingCase& of, const SamplingOptions& options,
                          Programs* programs, Table* table) {
  double sum = 0;
  const std::uint64_t most = std::max(of.auto_runs, options.auto_most_runs);
  for (std::uint64_t seed = 1; seed <= options.auto_seeds; ++seed) {
    const Result<Searched> searched =
        programs->Search(of, false, {.strategy = "auto", .runs = most, .seed = seed});
    if (!searched) return searched.error();
    if (searched->hits == 0) {
      table->failures.push_back(std::string(of.name) + ": auto does not find the bug with seed " +
                                std::to_string(seed) + " in " +
                                Count(static_cast<double>(searched->runs)) + " runs");
    }
    sum += static_cast<double>(searched->runs);
  }
  return sum / static_cast<double>(options.auto_seeds);
}

Status AddCase(const SamplingCase& of, const SamplingOptions& options, Programs* programs,
               Table* table, Totals* totals) {
  std::vector<std::string> row = {std::string(of.name)};
  double best = 0, seconds = 0, made = 0;
  std::uint64_t fewest = ~std::uint64_t{0};
  for (std::size_t i = 0; i < std::size(kSamplers); ++i) {
    const Sampler& sampler = kSamplers[i];
    const Result<Searched> searched =
        programs->Search(of, false,
                         {.strategy = sampler.strategy,
                          .runs = options.quick ? options.runs : std::max(options.runs, of.runs),
                          .seed = options.seed,
                          .keep_going = true});
    if (!searched) return searched.error();
    const double least = 1 / static_cast<double>(std::max<std::uint64_t>(searched->samples, 1));
    if (!searched->complete) {
      totals->ours[i].Add(std::max(searched->HitRatio(), least));
      fewest = std::min(fewest, searched->samples);
    }
    if (i < kFixed) best = std::max(best, searched->HitRatio());
    seconds += searched->seconds;
    made += static_cast<double>(searched->runs);
    std::string cell = searched->complete ? "all tried" : Format("%.4f", searched->HitRatio());
    if (of.has_paper_row() && sampler.paper != nullptr) {
      const double paper = of.paper.*sampler.paper;
      totals->paper[i].Add(std::max(paper, 1e-4));
      cell += Format(" (%.4f)", paper);
    }
    row.push_back(std::move(cell));
  }
  row.push_back(Count(static_cast<double>(fewest)));
  row.push_back(Format("%.0f", made / seconds));

  const Result<double> needed = RunsOfAuto(of, options, programs, table);
  if (!needed) return needed.error();
  row.push_back(Format("%.1f", *needed));
  row.push_back(best > 0 ? Format("%.1f", 1 / best) : "-");
  if (best > 0) {
    const double ratio = *needed * best;
    totals->auto_ratio.Add(ratio);
    if (ratio > totals->auto_worst) {
      totals->auto_worst = ratio;
      totals->auto_worst_case = of.name;
    }
  }
  const Result<Searched> clean = programs->Search(
      of, true, {.strategy = "random", .runs = options.fixed_runs, .seed = options.seed});
  if (!clean) return clean.error();
  const bool fails = clean->hits > 0;
  row.push_back(fails ? "fails" : Count(static_cast<double>(clean->runs)) + " clean");
  if (fails) table->failures.push_back(std::string(of.name) + ": its fixed twin fails");
  table->rows.push_back(std::move(row));
  return {};
}

void AddTotals(const Totals& totals, Table* table) {
  std::vector<std::string> row = {"geometric mean"};
  for (std::size_t i = 0; i < std::size(kSamplers); ++i) {
    std::string cell = Format("%.4f", totals.ours[i].Value());
    if (totals.paper[i].count > 0) cell += Format(" (%.4f)", totals.paper[i].Value());
    row.push_back(std::move(cell));
  }
  row.insert(row.end(), {"", "", "", "", ""});
  table->rows.push_back({});
  table->rows.push_back(std::move(row));

  std::map<std::string, double> mean;
  for (std::size_t i = 0; i < std::size(kSamplers); ++i) {
    mean[kSamplers[i].column] = totals.ours[i].Value();
  }
  for (const char* other : {"random", "pct-2", "pct-3", "pct-5", "pct-20"}) {
    if (mean["pos"] <= mean[other]) {
      table->failures.push_back(std::string("pos does not beat ") + other + " in geometric mean");
    }
  }
  if (mean["surw"] <= mean["pos"]) {
    table->failures.push_back("surw does not beat pos in geometric mean");
  }
  const double ratio = totals.auto_ratio.Value();
  table->notes.push_back(
      "auto's runs to the first failure against the best fixed sampler's 1/ratio: " +
      Format("%.2f", ratio) + " times in geometric mean, at most " +
      Format("%.1f", totals.auto_worst) + " times (" + totals.auto_worst_case + ").");
  if (ratio > 2) table->failures.push_back("auto needs more than twice the best sampler's runs");
  if (totals.auto_worst > 6) {
    table->failures.push_back("auto needs more than six times the best sampler's runs for " +
                              totals.auto_worst_case);
  }
}

}  // namespace

Result<Table> Sampling(const SamplingOptions& options) {
  if (!std::filesystem::exists(options.corpus + "/account.cpp")) {
    return Error{"the corpus is in a source checkout only: run ./heddle bench there"};
  }
  Result<TemporaryDirectory> directory = TemporaryDirectory::Make();
  if (!directory) return directory.error();
  Result<FigureStore> figures = FigureStore::Open(options.figures);
  if (!figures) return figures.error();
  Programs programs(options, directory->path(), &*figures);
  Table table;
  table.name = "sampling";
  table.title = "hit ratios in " + Count(static_cast<double>(options.runs)) +
                " runs, the POS paper's Table 3 in brackets";
  table.columns = {"case"};
  for (const Sampler& sampler : kSamplers) table.columns.emplace_back(sampler.column);
  table.columns.insert(table.columns.end(),
                       {"runs", "runs/s", "auto needs", "best needs", "fixed"});
  Totals totals;
  for (const SamplingCase& of : SamplingCases()) {
    if (!options.only.empty() && of.name != options.only) continue;
    if (Status added = AddCase(of, options, &programs, &table, &totals); !added) {
      return added.error();
    }
  }
  if (table.rows.empty()) return Error{"there is no case '" + options.only + "' in the corpus"};
  if (options.only.empty()) AddTotals(totals, &table);
  table.notes.push_back(
      "The programs are ours, written after the descriptions of the paper's cases: their figures "
      "stand "
      "beside ours, not against them. runs: the fewest behind a ratio of the row, counted since "
      "the "
      "last scheduling point was learnt; runs/s is with the examination of what was found.");
  return table;
}

}  // namespace heddle::bench
