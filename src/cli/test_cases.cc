#include "cli/test_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "compile/process.h"
#include "report/files.h"

namespace heddle {
namespace {

bool StartsWith(const std::string& text, std::string_view beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Without those that choose tests, which one test's own choice replaces.
std::vector<std::string> OtherArguments(TestFramework framework,
                                        const std::vector<std::string>& arguments) {
  std::vector<std::string> others;
  for (const std::string& argument : arguments) {
    bool chooses = false;
    switch (framework) {
      case TestFramework::kGoogleTest:
        chooses = StartsWith(argument, "--gtest_filter=");
        break;
      case TestFramework::kCatch2:  // specifications are words without a dash
      case TestFramework::kCatch3:
        chooses = !StartsWith(argument, "-");
        break;
      case TestFramework::kDoctest:
        for (const char* const option : {"-tc=", "--test-case=", "-tce=", "--test-case-exclude=",
                                         "-sf=", "--source-file=", "-ts=", "--test-suite="}) {
          chooses = chooses || StartsWith(argument, option);
        }
        break;
    }
    if (!chooses) others.push_back(argument);
  }
  return others;
}

// What frameworks read as more than a character of the name.
std::string Escape(const std::string& name, std::string_view special) {
  std::string escaped;
  for (const char c : name) {
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// "Suite.\n  Case  # GetParam() = 3\n": a suite ends with a dot, its cases are indented.
std::vector<std::string> GoogleTestNames(const std::string& text, bool with_disabled) {
  std::vector<std::string> names;
  std::string suite;
  for (const std::string& line : LinesOf(text)) {
    const std::string word = line.substr(0, line.find("  #"));
    if (StartsWith(line, "  ") && !suite.empty()) {
      const std::string name = suite + word.substr(2);
      if (with_disabled || name.find("DISABLED_") == std::string::npos) names.push_back(name);
    } else if (!word.empty() && word.back() == '.' && word.find(' ') == std::string::npos) {
      suite = word;
    }
  }
  return names;
}

// A name per line, between lines of dashes.
std::vector<std::string> DoctestNames(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string& line : LinesOf(text)) {
    if (line.empty() || StartsWith(line, "[doctest]") || StartsWith(line, "===")) continue;
    names.push_back(line);
  }
  return names;
}

std::vector<std::string> CatchNames(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string& line : LinesOf(text)) {
    if (line.empty()) continue;
    // Version 3 quotes names that its own --input-file would take for comments.
    const bool quoted = line.size() > 2 && StartsWith(line, "\"#") && line.back() == '"';
    names.push_back(quoted ? line.substr(1, line.size() - 2) : line);
  }
  return names;
}

}  // namespace

std::string_view NameOf(TestFramework framework) {
  switch (framework) {
    case TestFramework::kGoogleTest:
      return "GoogleTest";
    case TestFramework::kCatch2:
    case TestFramework::kCatch3:
      return "Catch2";
    case TestFramework::kDoctest:
      return "doctest";
  }
  return "";
}

std::optional<TestFramework> FrameworkIn(std::string_view bytes) {
  const auto has = [bytes](std::string_view text) {
    return bytes.find(text) != std::string_view::npos;
  };
  // A library that is linked dynamically leaves its name.
  if (has("list-test-names-only")) return TestFramework::kCatch2;
  // Version 3 has no such option any more, and calls itself by its whole name.
  if (has("libCatch2") || (has("Catch2 v") && has("list-tests"))) return TestFramework::kCatch3;
  if (has("[doctest] ")) return TestFramework::kDoctest;
  if (has("gtest_list_tests") || has("libgtest.so") || has("libgtest_main.so")) {
    return TestFramework::kGoogleTest;
  }
  return std::nullopt;
}

std::vector<std::string> ListArguments(TestFramework framework,
                                       const std::vector<std::string>& arguments) {
  std::vector<std::string> all = arguments;
  switch (framework) {
    case TestFramework::kGoogleTest:
      all.push_back("--gtest_list_tests");
      break;
    case TestFramework::kCatch2:
      all.push_back("--list-test-names-only");
      break;
    case TestFramework::kCatch3:  // quiet: names only
      all.insert(all.end(), {"--list-tests", "--verbosity", "quiet"});
      break;
    case TestFramework::kDoctest:
      all.push_back("--list-test-cases");
      all.push_back("--no-colors=true");
      break;
  }
  return all;
}

std::vector<TestCase> ParseList(TestFramework framework, const std::string& text,
                                const std::vector<std::string>& arguments) {
  const std::vector<std::string> others = OtherArguments(framework, arguments);
  const bool with_disabled =
      std::find(others.begin(), others.end(), "--gtest_also_run_disabled_tests") != others.end();
  std::vector<std::string> names;
  switch (framework) {
    case TestFramework::kGoogleTest:
      names = GoogleTestNames(text, with_disabled);
      break;
    case TestFramework::kCatch2:
    case TestFramework::kCatch3:
      names = CatchNames(text);
      break;
    case TestFramework::kDoctest:
      names = DoctestNames(text);
      break;
  }
  std::vector<TestCase> cases;
  for (std::string& name : names) {
    TestCase one{.name = name, .arguments = others};
    switch (framework) {
      case TestFramework::kGoogleTest:
        one.arguments.push_back("--gtest_filter=" + name);
        break;
      case TestFramework::kCatch2:
      case TestFramework::kCatch3:
        one.arguments.push_back(Escape(name, "\\,[]*\""));
        break;
      case TestFramework::kDoctest:
        one.arguments.push_back("--test-case=" + Escape(name, "\\,"));
        break;
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

Result<TestProgram> ListTests(const std::string& program,
                              const std::vector<std::string>& arguments) {
  const Result<std::string> bytes = ReadWholeFile(program);
  if (!bytes) return bytes.error();
  const std::optional<TestFramework> framework = FrameworkIn(*bytes);
  if (!framework) {
    return Error{fmt::format(
        "{}: --each-test knows the tests of GoogleTest, Catch2 and doctest, and this program is "
        "built with none of them; leave --each-test away to search it as a whole",
        program)};
  }
  std::vector<std::string> command = {program};
  const std::vector<std::string> listing = ListArguments(*framework, arguments);
  command.insert(command.end(), listing.begin(), listing.end());
  const Result<CommandOutput> listed = RunCommand(command);
  if (!listed) return listed.error();
  TestProgram result{.framework = *framework,
                     .cases = ParseList(*framework, listed->text, arguments)};
  if (result.cases.empty()) {
    return Error{
        fmt::format("{} lists no test; {} prints:\n{}", program, ShellLine(command), listed->text)};
  }
  return result;
}

}  // namespace heddle
