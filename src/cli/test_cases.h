// The test cases of a GoogleTest, Catch2 or doctest program: their names, and how to run one alone.
#ifndef HEDDLE_CLI_TEST_CASES_H_
#define HEDDLE_CLI_TEST_CASES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace heddle {

enum class TestFramework : std::uint8_t {
  kGoogleTest,
  kCatch2,  // version 2
  kCatch3,
  kDoctest
};
std::string_view NameOf(TestFramework framework);

// What a program was built with, judged by the options that its text names. It is not started: a
// program that does not know an option may do anything.
std::optional<TestFramework> FrameworkIn(std::string_view program_bytes);

struct TestCase {
  std::string name;
  std::vector<std::string> arguments;  // that run it alone
};

// The options that make a program list the tests which `arguments` select.
std::vector<std::string> ListArguments(TestFramework framework,
                                       const std::vector<std::string>& arguments);
// From what it then prints.
std::vector<TestCase> ParseList(TestFramework framework, const std::string& text,
                                const std::vector<std::string>& arguments);

// All of it: looks into the program, starts it to list its tests. An Error is the input's fault.
struct TestProgram {
  TestFramework framework = TestFramework::kGoogleTest;
  std::vector<TestCase> cases;
};
Result<TestProgram> ListTests(const std::string& program,
                              const std::vector<std::string>& arguments);

}  // namespace heddle

#endif  // HEDDLE_CLI_TEST_CASES_H_
