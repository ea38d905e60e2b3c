// The result of `heddle run`: for scripts and for people.
#ifndef HEDDLE_CLI_RUN_REPORT_H_
#define HEDDLE_CLI_RUN_REPORT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/seen.h"
#include "explore/explorer.h"

namespace heddle {

struct RunFacts {
  std::vector<std::string> command_line;  // of heddle itself
  int workers = 1;
  double compile_seconds = 0;
  Seen seen;
};

// The object that --json writes.
nlohmann::ordered_json RunToJson(const Explored& explored, const ExploreOptions& options,
                                 const RunFacts& facts);

// What follows the findings: how much was searched, why it ended, what to keep in mind.
std::string RenderSummary(const Explored& explored, const ExploreOptions& options);

}  // namespace heddle

#endif  // HEDDLE_CLI_RUN_REPORT_H_
