// The options of `heddle run`, which a library's session understands too.
#ifndef HEDDLE_CLI_RUN_OPTIONS_H_
#define HEDDLE_CLI_RUN_OPTIONS_H_

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/common.h"
#include "cli/triage.h"
#include "explore/explorer.h"

namespace CLI {
class App;
}

namespace heddle {

// As typed; checked by Interpret.
struct RunWords {
  std::string strategy = "auto";
  bool show_races = false;
  std::uint64_t runs = 10'000;
  std::string time = "60s";
  std::uint64_t seed = 1;
  int workers = 0;
  bool keep_going = false;
  bool resume = false;
  std::string hapset;
  bool each_test = false;
  std::uint64_t max_steps = 1'000'000;
  std::string points = "shared";
  std::string races = "on";
  std::string timeouts = "any";
  Scope scope;
  std::string reuse = "never";
  std::string backend = "fiber";
  std::string checkpoint = "auto";
  std::string memory = "2G";
  std::string hang_time = "10s";
  bool strict = false;
  int expect_exit = 0;
  std::string expect_output;
  TriageWords triage;
  std::string cxxflags;
  std::string ldflags;
  std::string json;
  std::string out = kDefaultOut;
  ColorChoice color;
};

void DescribeRun(CLI::App* app, RunWords* words);

// An Error is wrong usage.
Result<ExploreOptions> Interpret(const RunWords& words);

}  // namespace heddle

#endif  // HEDDLE_CLI_RUN_OPTIONS_H_
