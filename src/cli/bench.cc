#include "cli/bench.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/common.h"
#include "cli/exit_code.h"
#include "core.h"
#include "hapset.h"
#include "pos_example.h"
#include "pos_micro.h"
#include "reachability.h"
#include "sampling.h"
#include "systematic.h"

namespace heddle {
namespace {

struct BenchOptions {
  bool quick = false;
  std::uint64_t seed = 1;
  std::uint64_t samples = 0;  // 0: as many as the bench likes
  std::string only;           // one case, where a bench has cases
  int jobs = 0;               // 0: as many as the bench likes
  std::string figures;        // file that keeps figures as they are made
};

std::string OwnPath() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

// Sizes for "does it run", far below what any figure needs.
constexpr std::uint64_t kQuickSamples = 10'000;

Result<bench::Table> CoreTable(const BenchOptions& options) {
  return bench::Core(
      {.heddle = OwnPath(), .programs = HEDDLE_BENCH_PROGRAMS, .quick = options.quick});
}

Result<bench::Table> PosExampleTable(const BenchOptions& options) {
  bench::PosExampleOptions sizes{
      .seed = options.seed, .heddle = OwnPath(), .programs = HEDDLE_BENCH_PROGRAMS};
  if (options.quick) sizes.runs = sizes.real_runs = kQuickSamples;
  if (options.samples != 0) sizes.runs = options.samples;
  return bench::PosExample(sizes);
}

Result<bench::Table> PosMicroTable(const BenchOptions& options) {
  bench::PosMicroOptions sizes{.seed = options.seed, .figures = options.figures};
  if (options.jobs != 0) sizes.workers = options.jobs;
  if (options.quick) sizes.samples = kQuickSamples;
  if (options.samples != 0) sizes.samples = options.samples;
  return bench::PosMicro(sizes);
}

Result<bench::Table> ReachabilityTable(const BenchOptions& options) {
  bench::ReachabilityOptions sizes{.heddle = OwnPath(),
                                   .programs = HEDDLE_BENCH_PROGRAMS,
                                   .seed = options.seed,
                                   .quick = options.quick};
  if (options.quick) sizes.random_programs = 50;
  return bench::Reachability(sizes);
}

Result<bench::Table> SamplingTable(const BenchOptions& options) {
  bench::SamplingOptions sizes{.heddle = OwnPath(),
                               .corpus = std::string(HEDDLE_BENCH_PROGRAMS) + "/../corpus",
                               .seed = options.seed,
                               .only = options.only,
                               .quick = options.quick,
                               .figures = options.figures};
  if (options.quick) {
    sizes.runs = sizes.fixed_runs = 200;
    sizes.auto_seeds = 1;
    if (sizes.only.empty()) sizes.only = "account";
  }
  if (options.samples != 0) sizes.runs = options.samples;
  return bench::Sampling(sizes);
}

Result<bench::Table> SystematicTable(const BenchOptions& options) {
  return bench::Systematic(
      {.heddle = OwnPath(), .programs = HEDDLE_BENCH_PROGRAMS, .quick = options.quick});
}

Result<bench::Table> HapsetTable(const BenchOptions& options) {
  bench::HapsetOptions sizes{.heddle = OwnPath(),
                             .programs = std::string(HEDDLE_BENCH_PROGRAMS) + "/../hapset",
                             .seed = options.seed,
                             .only = options.only,
                             .quick = options.quick};
  if (options.quick) sizes.seconds = 2;
  return bench::Hapset(sizes);
}

struct Bench {
  std::string_view name;
  std::string_view summary;
  Result<bench::Table> (*make)(const BenchOptions&);
};

constexpr Bench kBenches[] = {
    {"core", "what switching, deciding, recording and forking cost", CoreTable},
    {"pos-example", "the figures of the POS paper with known probabilities", PosExampleTable},
    {"pos-micro", "tables 1 and 2 of the POS paper: the least probable order", PosMicroTable},
    {"sampling", "table 3 of the POS paper: bugs of real programs, every sampler", SamplingTable},
    {"systematic", "exhaustive searches at growing sizes: runs and runs per second",
     SystematicTable},
    {"hapset", "tables 1 to 5 of the HaPSet paper: runs to the bug", HapsetTable},
    {"reachability", "table 1 of the reachability paper: SYN-sequences", ReachabilityTable},
};

}  // namespace

int BenchCommandMain(const std::vector<std::string>& words) {
  std::string name;
  std::string json;
  BenchOptions options;
  CLI::App app("Prints a table of measured figures.", "heddle bench");
  std::string names = "one of:";
  for (const Bench& bench : kBenches) names += fmt::format("\n{}: {}", bench.name, bench.summary);
  app.add_option("NAME", name, names)->required();
  app.add_option("--json", json, "write the table as JSON; - is standard output")
      ->type_name("FILE");
  app.add_option("--seed", options.seed, "of everything random (default 1)")->type_name("N");
  app.add_option("--samples", options.samples,
                 "runs per figure, where it is sampled (pos-example, pos-micro, sampling)")
      ->type_name("N");
  app.add_option("--case", options.only, "one case only (sampling, hapset)")->type_name("NAME");
  app.add_option("--figures", options.figures,
                 "keep every figure here as it is made, and make none again that is here already "
                 "(pos-micro, sampling)")
      ->type_name("FILE");
  app.add_option("--jobs", options.jobs, "processors to use, where it can be chosen (pos-micro)")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
  app.add_flag("--quick", options.quick,
               "tiny sizes, to see that it runs; the figures are worthless");
  if (const auto code = Parse(&app, words)) return *code;

  const Bench* const bench = std::find_if(std::begin(kBenches), std::end(kBenches),
                                          [&](const Bench& b) { return b.name == name; });
  if (bench == std::end(kBenches)) {
    return Complain(fmt::format("there is no bench '{}'; heddle bench --help lists them", name),
                    kExitUsage);
  }
  if (Status can_write = CheckOutputPath("--json", json); !can_write) {
    return Complain(can_write.error().text, kExitEnvironment);
  }
  const Result<bench::Table> table = bench->make(options);
  if (!table) return Complain(table.error().text, kExitEnvironment);
  if (json == "-") {
    fmt::print("{}\n", bench::ToJson(*table).dump(1));
  } else {
    bench::Print(*table, stdout);
    if (!json.empty()) {
      std::ofstream file(json);
      file << bench::ToJson(*table).dump(1) << '\n';
      if (!file.flush()) return Complain(fmt::format("cannot write {}", json), kExitEnvironment);
    }
  }
  return table->failures.empty() || options.quick ? kExitFine : kExitFinding;
}

}  // namespace heddle
