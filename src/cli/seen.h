// What heddle saw of the program, and what it could not see: said once, at the end of a search.
#ifndef HEDDLE_CLI_SEEN_H_
#define HEDDLE_CLI_SEEN_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "compile/instrumentation.h"
#include "trace/channel.h"

namespace heddle {

struct Seen {
  int instrumented_units = 0;
  std::vector<std::string> plain_units;      // sources of the program that were not built by heddle
  std::vector<std::string> plain_modules;    // libraries without instrumentation, by file name
  std::vector<std::string> locking_modules;  // those of them that seem to have locks of their own
  std::vector<UnseenFunction> unseen_functions;
};

// `program` was built by heddle, at least in part. The language's own libraries and heddle's engine
// are left out of plain_modules: what matters in them is interposed.
Seen DescribeSeen(const std::string& program, const std::vector<ModuleRecord>& modules);

// Sentences for the end of the report; none when everything is seen.
std::vector<std::string> SeenNotes(const Seen& seen);
nlohmann::ordered_json SeenToJson(const Seen& seen);

}  // namespace heddle

#endif  // HEDDLE_CLI_SEEN_H_
