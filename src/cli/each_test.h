// `heddle run --each-test`: every test case of a test program, searched as a program of its own.
#ifndef HEDDLE_CLI_EACH_TEST_H_
#define HEDDLE_CLI_EACH_TEST_H_

#include <string>
#include <vector>

#include "cli/run_options.h"
#include "cli/target.h"
#include "cli/triage.h"
#include "report/finding_store.h"

namespace heddle {

// The command's exit code. `options` hold the budget of all tests together: each gets its share of
// what the ones before it left.
int RunEachTest(const RunWords& words, const ExploreOptions& options, const Target& target,
                const Triage& triage, FindingStore* store,
                const std::vector<std::string>& command_line);

}  // namespace heddle

#endif  // HEDDLE_CLI_EACH_TEST_H_
