// `heddle self-test`: all tests of the build folder this command lies in, through ctest.
#ifndef HEDDLE_CLI_SELF_TEST_H_
#define HEDDLE_CLI_SELF_TEST_H_

#include <string>
#include <vector>

namespace heddle {

// Becomes ctest, with `ctest_arguments` (such as -R NAME) behind ours. Returns an exit code only
// when it can't: an installed heddle has no tests. Builds nothing: ./heddle has done that.
int RunSelfTest(const std::vector<std::string>& ctest_arguments);

}  // namespace heddle

#endif  // HEDDLE_CLI_SELF_TEST_H_
