// `heddle self-test`: all tests of the build folder this command lies in, through ctest.
#ifndef HEDDLE_CLI_SELF_TEST_H_
#define HEDDLE_CLI_SELF_TEST_H_

#include <string>
#include <vector>

namespace heddle {

// Runs ctest with `ctest_arguments` (such as -R NAME) behind ours; the command's exit code. Builds
// nothing: ./heddle has done that. An installed heddle has no tests and says so.
int RunSelfTest(const std::vector<std::string>& ctest_arguments);

}  // namespace heddle

#endif  // HEDDLE_CLI_SELF_TEST_H_
