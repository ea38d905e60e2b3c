#include "hapset.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "compile/process.h"
#include "core_runs.h"
#include "explore/temporary.h"

namespace heddle::bench {
namespace {

// A cell of the paper: runs to the bug and seconds; "TO" after 600 s, "no" where the search ended.
struct Paper {
  const char* hapset = "";
  const char* dpor = "";
  const char* pcb[5] = {"", "", "", "", ""};
  double seconds_per_run = 0;  // of its HaPSet search; 0 = not in the paper
};

// Programs that were written when the search was finished, and that it was never tuned on.
constexpr int kHeldOut = 6;

struct Case {
  int table;  // of the paper, or kHeldOut
  const char* name;
  const char* source;
  const char* define;
  const char* bug;
  Paper paper;
};

constexpr Case kCases[] = {
    {1,
     "thread manager, 2",
     "thread_manager",
     "-DWORKERS=2",
     "deadlock",
     {"14", "23", {"512 no", "26", "215", "871 TO", ""}, 1.99}},
    {1,
     "thread manager, 3",
     "thread_manager",
     "-DWORKERS=3",
     "deadlock",
     {"18", "733 TO", {"1301 TO", "399", "876 TO", "742 TO", ""}, 1.53}},
    {1,
     "thread manager, 4",
     "thread_manager",
     "-DWORKERS=4",
     "deadlock",
     {"22", "665 TO", {"1111 TO", "980 TO", "677 TO", "639 TO", ""}, 1.53}},
    {1,
     "thread manager, 5",
     "thread_manager",
     "-DWORKERS=5",
     "deadlock",
     {"25", "572 TO", {"899 TO", "670 TO", "582 TO", "573 TO", ""}, 1.52}},
    {2, "pbzip2", "pbzip2", "", "order", {"2", "2", {"", "", "2", "", ""}, 0.25}},
    {2,
     "pbzip2, fixed",
     "pbzip2",
     "-DFIXED_ORDER",
     "race",
     {"8", "608 TO", {"", "", "631 TO", "", ""}, 0.33}},
    {2, "pfscan", "pfscan", "", "deadlock", {"28", "1541 TO", {"", "", "2867 TO", "", ""}, 0.10}},
    {4, "aget, 2", "aget", "-DTHREADS=2", "race", {"3", "", {}, 1.03}},
    {4, "aget, 3", "aget", "-DTHREADS=3", "race", {"7", "", {}, 1.43}},
    {4, "aget, 4", "aget", "-DTHREADS=4", "race", {"12", "", {}, 1.78}},
    {3,
     "aget, 5",
     "aget",
     "-DTHREADS=5",
     "race",
     {"14", "96", {"286 TO", "12", "94", "151", "95"}, 2.64}},
    {4, "aget, 6", "aget", "-DTHREADS=6", "race", {"16", "", {}, 3.39}},
    {4, "aget, 7", "aget", "-DTHREADS=7", "race", {"18", "", {}, 4.49}},
    {4, "aget, 8", "aget", "-DTHREADS=8", "race", {"20", "", {}, 5.82}},
    {4, "aget, 9", "aget", "-DTHREADS=9", "race", {"22", "", {}, 7.27}},
    {4, "aget, 10", "aget", "-DTHREADS=10", "race", {"24", "", {}, 10.7}},
    {5, "MysqlLog", "mysql_log", "", "atomicity", {"5", "22", {"", "", "12", "", ""}, 0.06}},
    {5, "NodeState", "node_state", "", "order", {"5", "22", {"", "", "12", "", ""}, 0.06}},
    {5, "Loadscript", "load_script", "", "atomicity", {"5", "79", {"", "", "27", "", ""}, 0.2}},
    {5, "SeekToItem", "seek_to_item", "", "atomicity", {"3", "127", {"", "", "22", "", ""}, 0.07}},
    {5, "UpdateTimer", "update_timer", "", "atomicity", {"3", "128", {"", "", "10", "", ""}, 0.07}},
    {5,
     "FileTransport",
     "file_transport",
     "",
     "deadlock",
     {"5", "22", {"", "", "12", "", ""}, 0.04}},
    {5, "CreateThread", "create_thread", "", "order", {"5", "22", {"", "", "12", "", ""}, 0.04}},
    {5,
     "ReadWriteProc",
     "read_write_proc",
     "",
     "order",
     {"5", "175", {"", "", "20", "", ""}, 0.38}},
    {5,
     "OpenInputStr",
     "open_input_stream",
     "",
     "deadlock",
     {"5", "1409", {"", "", "42", "", ""}, 0.06}},
    {5, "HttpConnect", "http_connect", "", "order", {"5", "37", {"", "", "16", "", ""}, 0.66}},
    {5, "TimerThread", "timer_thread", "", "deadlock", {"3", "101", {"", "", "18", "", ""}, 0.07}},
    {kHeldOut, "lazy init", "held_out/lazy_init", "", "order", {}},
    {kHeldOut, "check then act", "held_out/check_then_act", "", "atomicity", {}},
    {kHeldOut, "lost wake-up", "held_out/lost_wakeup", "", "deadlock", {}},
    {kHeldOut, "stale config", "held_out/stale_config", "", "atomicity", {}},
    {kHeldOut, "double close", "held_out/double_close", "", "atomicity", {}},
    {kHeldOut, "three locks", "held_out/three_locks", "", "deadlock", {}},
    {kHeldOut, "early exit", "held_out/early_exit", "", "deadlock", {}},
    {kHeldOut, "sequence number", "held_out/sequence_number", "", "atomicity", {}},
    {kHeldOut, "cached pair", "held_out/cached_pair", "", "atomicity", {}},
    {kHeldOut, "last entry", "held_out/last_entry", "", "order", {}},
    {kHeldOut, "three layers", "held_out/three_layers", "", "deadlock", {}},
    {kHeldOut, "reload cycle", "held_out/reload_cycle", "", "deadlock", {}},
};

struct Searched {
  double runs = 0;  // to the bug, or all
  double made = 0;
  double seconds = 0;
  bool found = false;
  bool ended = false;  // nothing was left to try
};

std::string Fixed(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Removed with all that is in it.
class Bench {
 public:
  Bench(const HapsetOptions& options, std::filesystem::path directory)
      : options_(options), directory_(std::move(directory)) {}

  Status Build(const Case& of) {
    return Compile(of, {options_.programs + "/" + of.source + ".cpp"});
  }

  // Nanoseconds of a run inside heddle::Explore.
  Result<double> RunInLibrary(const Case& of) {
    const Status built = Compile(of, {options_.programs + "/" + of.source + ".cpp",
                                      options_.programs + "/in_library.cpp", "-Wl,--wrap=main"});
    if (!built) return built.error();
    const std::string results = (directory_ / "results").string();
    const Status ran = Call({Program(), results, "2000"});
    if (!ran) return ran.error();
    const Result<Figures> figures = ReadFigures(results);
    if (!figures) return figures.error();
    return figures->at("run").median;
  }

  Result<Searched> Search(const std::string& strategy) {
    return Run(strategy, {"--runs", "1000000000", "--time", Fixed("%.0f", options_.seconds)});
  }

  // Runs of the program, whatever they find: what one costs.
  Result<Searched> MakeRuns(int runs) {
    return Run("random", {"--keep-going", "--runs", std::to_string(runs)});
  }

 private:
  // As the paper's tool instruments: every access of the source, so nothing is optimised away.
  Status Compile(const Case& of, const std::vector<std::string>& sources) {
    std::vector<std::string> command = {options_.heddle, "c++", "-std=c++20",
                                        "-O0",           "-g",  "-pthread"};
    if (*of.define != '\0') command.emplace_back(of.define);
    command.insert(command.end(), sources.begin(), sources.end());
    command.insert(command.end(), {"-o", Program()});
    return Call(command);
  }

  static Status Call(const std::vector<std::string>& command) {
    const Result<CommandOutput> output = RunCommand(command);
    if (!output) return output.error();
    if (output->exit_code != 0) return Error{ShellLine(command) + ":\n" + output->text};
    return {};
  }

  Result<Searched> Run(const std::string& strategy, const std::vector<std::string>& budget) {
    const std::string json = (directory_ / "json").string();
    std::vector<std::string> command = {
        options_.heddle, "run", "--strategy", strategy, "--seed", std::to_string(options_.seed),
        "--workers", "1",
        // A loop that polls must not eat the time of a whole search.
        "--max-steps", "20000", "--races", "off", "--out", (directory_ / "out").string(), "--json",
        json};
    command.insert(command.end(), budget.begin(), budget.end());
    command.insert(command.end(), {"--", Program()});
    const Result<CommandOutput> ran = RunCommand(command);
    if (!ran) return ran.error();
    std::ifstream file(json);
    const nlohmann::json result = nlohmann::json::parse(file, nullptr, false);
    if (!result.is_object()) return Error{ShellLine(command) + ":\n" + ran->text};
    Searched searched;
    searched.made = searched.runs = result.value("runs", 0.0);
    searched.seconds = result.value("seconds", 0.0);
    searched.ended = result.value("stopped_by", "") != "time";
    for (const auto& finding : result["findings"]) {
      if (finding.value("severity", "") != "error") continue;
      const double first = finding.value("first_run", 0.0);
      searched.runs = searched.found ? std::min(searched.runs, first) : first;
      searched.found = true;
    }
    return searched;
  }

  std::string Program() const { return (directory_ / "program").string(); }

  const HapsetOptions& options_;
  const std::filesystem::path directory_;
};

std::string Cell(const Searched& searched, const char* paper) {
  std::string text = Count(searched.runs);
  if (!searched.found) text += searched.ended ? " no" : " TO";
  if (paper != nullptr && *paper != '\0') text += std::string(" (") + paper + ")";
  return text;
}

// More runs than another search that found the bug, or the bug not at all.
bool IsWorse(const Searched& hapset, const Searched& other) {
  return other.found && (!hapset.found || hapset.runs > other.runs);
}

struct Saving {
  double factors = 0;
  int rows = 0;
  int at_least = 0;  // rows in which DPOR did not find it
  int held_out = 0;
  int held_out_worse = 0;  // rows in which DPOR or PCB 2 needs fewer runs
};

Status AddCase(const Case& of, Bench* bench, Table* table, Saving* saving) {
  if (const Status built = bench->Build(of); !built) return built;
  std::vector<Searched> all;
  const auto search = [&](const std::string& strategy) -> Result<Searched> {
    const Result<Searched> searched = bench->Search(strategy);
    if (searched) all.push_back(*searched);
    return searched;
  };
  const Result<Searched> hapset = search("hapset");
  if (!hapset) return hapset.error();
  const Result<Searched> over_pcb = search("hapset:over=pcb");
  if (!over_pcb) return over_pcb.error();
  const Result<Searched> dpor = search("dpor");
  if (!dpor) return dpor.error();
  std::vector<std::string> row = {of.table == kHeldOut ? "new" : std::to_string(of.table),
                                  of.name,
                                  of.bug,
                                  Cell(*hapset, of.paper.hapset),
                                  Fixed("%.2f", hapset->seconds),
                                  Cell(*over_pcb, ""),
                                  Cell(*dpor, of.paper.dpor),
                                  Fixed("%.2f", dpor->seconds)};
  // Cheapest first: with a greater bound the search begins with the same runs, so one that found
  // the bug or ran out of time says it for all greater bounds.
  std::optional<Searched> pcb, pcb2;
  for (int bound = 0; bound <= 4; ++bound) {
    if (!pcb || (!pcb->found && pcb->ended)) {
      const Result<Searched> searched = search("pcb:bound=" + std::to_string(bound));
      if (!searched) return searched.error();
      pcb = *searched;
    }
    if (bound == 2) pcb2 = pcb;
    row.push_back(Cell(*pcb, of.paper.pcb[bound]));
  }
  row.push_back(Fixed("%.2f", pcb2->seconds));
  const Result<Searched> surw = search("surw");
  if (!surw) return surw.error();
  row.push_back(Cell(*surw, ""));
  // A search of a few runs is mostly its beginning and its end.
  constexpr int kEnoughRuns = 500;
  Searched longest = *std::max_element(
      all.begin(), all.end(), [](const Searched& a, const Searched& b) { return a.made < b.made; });
  if (longest.made < kEnoughRuns) {
    const Result<Searched> made = bench->MakeRuns(kEnoughRuns);
    if (!made) return made.error();
    longest = *made;
  }
  const double per_run = longest.seconds / std::max(longest.made, 1.0);
  std::string cost = Fixed("%.1f", per_run * 1000);
  if (of.table != kHeldOut) cost += Fixed(" (%.0f)", of.paper.seconds_per_run * 1000);
  row.push_back(std::move(cost));
  const Result<double> in_library = bench->RunInLibrary(of);
  if (!in_library) return in_library.error();
  row.push_back(Fixed("%.0f", *in_library / 1000));
  table->rows.push_back(std::move(row));

  const std::string name = of.name;
  if (!hapset->found) table->failures.push_back(name + ": hapset misses the bug.");
  const bool is_worse = IsWorse(*hapset, *dpor) || IsWorse(*hapset, *pcb2);
  if (of.table == kHeldOut) {
    ++saving->held_out;
    if (is_worse) ++saving->held_out_worse;
    return {};
  }
  if (is_worse) table->failures.push_back(name + ": dpor or pcb 2 needs fewer runs.");
  if (per_run > of.paper.seconds_per_run / 30) {
    table->failures.push_back(name + ": a run takes more than 1/30 of the paper's time.");
  }
  if (*in_library > of.paper.seconds_per_run * 1e9 / 1000) {
    table->failures.push_back(name +
                              ": a run in the library takes more than 1/1000 of the paper's time.");
  }
  saving->factors += dpor->runs / std::max(hapset->runs, 1.0);
  ++saving->rows;
  if (!dpor->found) ++saving->at_least;
  return {};
}

}  // namespace

Result<Table> Hapset(const HapsetOptions& options) {
  Table table;
  table.name = "hapset";
  table.title = "Runs to the bug with HaPSets and without (in brackets: the paper's)";
  table.columns = {"table",      "program",        "bug",   "HaPSet",  "s",
                   "over PCB 2", "DPOR",           "s",     "PCB 0",   "PCB 1",
                   "PCB 2",      "PCB 3",          "PCB 4", "PCB 2 s", "surw",
                   "ms/run",     "us/run, library"};
  if (!std::filesystem::exists(options.programs)) {
    return Error{options.programs + " is not there: run this from a source checkout"};
  }
  Result<TemporaryDirectory> directory = TemporaryDirectory::Make();
  if (!directory) return directory.error();
  const std::filesystem::path path = directory->path();
  Bench bench(options, path);
  Saving saving;
  int last_table = 0;
  for (const Case& of : kCases) {
    const bool is_wanted = options.only.empty()
                               ? !options.quick || std::string(of.name) == "TimerThread"
                               : options.only == of.source || options.only == of.name;
    if (!is_wanted) continue;
    if (last_table != 0 && of.table != last_table && (of.table >= 5 || last_table == 1)) {
      table.rows.emplace_back();
    }
    last_table = of.table;
    if (const Status added = AddCase(of, &bench, &table, &saving); !added) return added.error();
  }
  if (saving.rows > 0) {
    table.notes.push_back("HaPSet needs " + Fixed("%.0f", saving.factors / saving.rows) +
                          " times fewer runs than DPOR on average, at least: in " +
                          std::to_string(saving.at_least) + " of " + std::to_string(saving.rows) +
                          " rows DPOR did not find the bug in time.");
  }
  if (saving.held_out_worse > 0) {
    table.notes.push_back("On " + std::to_string(saving.held_out_worse) + " of the " +
                          std::to_string(saving.held_out) +
                          " new programs DPOR or PCB 2 needs fewer runs than HaPSet.");
  }
  table.notes.push_back("TO: not found in " + Fixed("%.0f", options.seconds) +
                        " s (the paper: 600 s); no: the search ended without it.");
  table.notes.push_back(
      "The time of a search begins with the program's start and ends with the finding's replay; "
      "ms/run is of the row's longest search, or of 500 random runs where that was shorter. aget, "
      "5 is also the row of the paper's Table 2. us/run, library: the median of those of 2,000 "
      "random runs that pass, each in a process that made one before. new: written when the search "
      "was finished; what was changed since: docs/systematic.md.");
  return table;
}

}  // namespace heddle::bench
