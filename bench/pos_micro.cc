#include "pos_micro.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "figure_store.h"
#include "simulate/classes.h"
#include "simulate/generate.h"
#include "simulate/sample.h"

namespace heddle::bench {
namespace {

using simulate::ExactClass;
using simulate::Program;
using simulate::SampleCounts;

constexpr std::uint64_t kPaperSamples = 50'000'000;
constexpr int kUniform[] = {4, 4, 4, 4};
constexpr int kSkewed[] = {2, 2, 6, 6};

// The columns of a table, with the paper's geometric means.
struct Column {
  const char* title;
  const char* strategy;  // nullptr: the random walk, exactly
  double paper;
};
constexpr Column kWrites[] = {{"RW", nullptr, 2.14e-8},
                              {"PCT", "pct", 2.00e-8},
                              {"RAPOS", "rapos", 4.11e-7},
                              {"BasicPOS", "basic-pos", 2.67e-8},
                              {"POS", "pos:read-relaxed=off", 2.87e-6}};
constexpr Column kHalfReads[] = {{"RW", nullptr, 4.77e-8},
                                 {"PCT", "pct", 2.00e-8},
                                 {"RAPOS", "rapos", 2.14e-6},
                                 {"BasicPOS", "basic-pos", 1.05e-7},
                                 {"POS", "pos:read-relaxed=off", 7.82e-6},
                                 {"POS*", "pos", 1.08e-5}};

struct Cell {
  double least = 0;         // hit ratio of the partial order met least; 0 = one was never met
  std::size_t covered = 0;  // partial orders met
};

struct Subject {
  std::string name;
  Program program;
  std::size_t classes = 0;
  int preemptions = 0;  // that reach every partial order
  double random_walk = 1;
  std::vector<Cell> cells;  // by column
};

Subject MakeSubject(const std::string& name, std::span<const int> accesses, bool half_reads,
                    Rng& rng) {
  Subject subject;
  subject.name = name;
  subject.program = simulate::MicroProgram({.accesses = accesses, .half_reads = half_reads}, rng);
  for (const ExactClass& exact : simulate::ExactClasses(subject.program)) {
    ++subject.classes;
    subject.preemptions = std::max(subject.preemptions, exact.preemptions);
    subject.random_walk = std::min(subject.random_walk, exact.random_walk);
  }
  return subject;
}

Cell Measure(const Subject& subject, const Column& column, const PosMicroOptions& options,
             FigureStore& figures) {
  if (column.strategy == nullptr) {
    return {.least = subject.random_walk, .covered = subject.classes};
  }
  std::string strategy = column.strategy;
  // As in the paper, PCT is told how many preemptions it needs.
  if (strategy == "pct") strategy += ":depth=" + std::to_string(subject.preemptions + 1);
  const std::string name = "pos-micro seed " + std::to_string(options.seed) + ", " + subject.name +
                           ", " + strategy + ", " + std::to_string(options.samples) + " samples";
  const nlohmann::json figure = figures.Get(name, [&] {
    const SampleCounts counts = simulate::Sample(
        subject.program, {.strategy = strategy, .runs = options.samples, .seed = options.seed});
    std::uint64_t least = options.samples;
    for (const auto& [hash, count] : counts.classes) least = std::min(least, count);
    return nlohmann::json{{"covered", counts.classes.size()}, {"least", least}};
  });
  Cell cell{.covered = figure.value("covered", std::size_t{0})};
  if (cell.covered < subject.classes) return cell;
  cell.least = figure.value("least", 0.0) / static_cast<double>(options.samples);
  return cell;
}

// All cells, shared out among the workers; the result does not depend on their number.
void MeasureAll(std::vector<Subject>& subjects, std::span<const Column> columns,
                const PosMicroOptions& options, FigureStore& figures) {
  for (Subject& subject : subjects) subject.cells.resize(columns.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < subjects.size() * columns.size(); i = next++) {
      Subject& subject = subjects[i / columns.size()];
      subject.cells[i % columns.size()] =
          Measure(subject, columns[i % columns.size()], options, figures);
    }
  };
  std::vector<std::thread> workers;
  for (int i = 1; i < options.workers; ++i) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
}

// Cells that are not covered count as one hit in all the samples.
double GeometricMean(const std::vector<Subject>& subjects, std::size_t column,
                     std::uint64_t samples) {
  double logs = 0;
  for (const Subject& subject : subjects) {
    const double least = subject.cells[column].least;
    logs += std::log(least > 0 ? least : 1 / static_cast<double>(samples));
  }
  return std::exp(logs / static_cast<double>(subjects.size()));
}

std::vector<double> AddRows(const std::vector<Subject>& subjects, std::span<const Column> columns,
                            const PosMicroOptions& options, Table& table) {
  const auto padded = [&](std::vector<std::string> row) {
    row.resize(table.columns.size());
    return row;
  };
  for (const Subject& subject : subjects) {
    std::vector<std::string> row = {subject.name, Count(static_cast<double>(subject.classes)),
                                    std::to_string(subject.preemptions)};
    for (const Cell& cell : subject.cells) {
      row.push_back(cell.least > 0 ? Scientific(cell.least)
                                   : "0(" + Count(static_cast<double>(cell.covered)) + ")");
    }
    table.rows.push_back(padded(row));
  }
  std::vector<double> means;
  std::vector<std::string> ours = {"geometric mean", "", ""};
  std::vector<std::string> paper = {"the paper's", "", ""};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    means.push_back(GeometricMean(subjects, i, options.samples));
    ours.push_back(Scientific(means.back()));
    paper.push_back(Scientific(columns[i].paper));
  }
  table.rows.push_back({});
  table.rows.push_back(padded(ours));
  table.rows.push_back(padded(paper));
  table.rows.push_back({});
  return means;
}

void Check(Table& table, bool holds, const std::string& claim) {
  if (!holds) table.failures.push_back(claim);
}

}  // namespace

Result<Table> PosMicro(const PosMicroOptions& options) {
  Result<FigureStore> figures = FigureStore::Open(options.figures);
  if (!figures) return figures.error();
  Table table;
  table.name = "pos-micro";
  table.title =
      "Hit ratio of the partial order that a sampler meets least (Tables 1 and 2 of Yuan, "
      "Yang, Gu, CAV 2018; other programs)";
  table.columns = {"program", "orders", "preempt."};
  for (const Column& column : kHalfReads) table.columns.push_back(column.title);

  Rng rng(options.seed);
  std::vector<std::vector<double>> means;
  for (const bool half_reads : {false, true}) {
    std::vector<Subject> subjects;
    for (int i = 0; i < 10; ++i) {
      const bool uniform = i < 5;
      const std::string name = std::string(uniform ? "uniform " : "skewed ") +
                               std::to_string(i % 5 + 1) + (half_reads ? ", half reads" : "");
      const std::span<const int> accesses = uniform ? kUniform : kSkewed;
      subjects.push_back(MakeSubject(name, accesses, half_reads, rng));
    }
    const std::span<const Column> columns =
        half_reads ? std::span<const Column>(kHalfReads) : std::span<const Column>(kWrites);
    MeasureAll(subjects, columns, options, *figures);
    means.push_back(AddRows(subjects, columns, options, table));
  }
  table.rows.pop_back();

  table.notes.push_back(Count(static_cast<double>(options.samples)) +
                        " samples per program and sampler (paper: 50,000,000); RW is exact; 0(x): "
                        "only x partial orders were met, counted as 1/samples.");
  if (options.samples >= kPaperSamples) {
    const std::vector<double>& writes = means[0];
    Check(table, writes[4] >= 4 * writes[2], "POS is at least 4 times RAPOS");
    Check(table, writes[4] >= 50 * writes[0], "POS is at least 50 times the random walk");
    Check(table, writes[4] >= 50 * writes[1], "POS is at least 50 times PCT");
    Check(table, writes[4] >= 50 * writes[3], "POS is at least 50 times BasicPOS");
    Check(table, means[1][5] >= 1.2 * means[1][4], "the read relaxation is at least 1.2 times POS");
  }
  return table;
}

}  // namespace heddle::bench
