// A stand-in for Catch2 version 3, where only version 2 is installed: registers cases, lists them
// as version 3 does with `--list-tests --verbosity quiet` (names only, one to a line, in quotes
// where one begins with '#'), and runs those that a specification selects, read by its rules: names
// are compared without regard to case, a backslash takes away the meaning of ',', '[', '"' and
// '*', a '*' at an end stands for anything, a tag in brackets is not a name. Exit status: 0, or
// the number of failed cases.
#ifndef HEDDLE_TESTS_LIKE_CATCH3_H_
#define HEDDLE_TESTS_LIKE_CATCH3_H_

#include <cctype>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace like_catch3 {

struct Case {
  const char* name;
  void (*body)();
};
inline std::vector<Case>& Cases() {
  static std::vector<Case> cases;
  return cases;
}
struct Registered {
  Registered(const char* name, void (*body)()) { Cases().push_back({name, body}); }
};
inline bool failed = false;

inline std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// One specification, no list: what is not supported selects nothing, so that a test would notice.
inline bool Selects(const std::string& specification, const std::string& name) {
  std::string wanted;
  bool any_end = false;
  for (std::size_t i = 0; i < specification.size(); ++i) {
    const char c = specification[i];
    if (c == '\\' && i + 1 < specification.size()) {
      wanted += specification[++i];
    } else if (c == '*' && i + 1 == specification.size()) {
      any_end = true;
    } else if (std::strchr(",[]\"*", c) != nullptr) {
      return false;
    } else {
      wanted += c;
    }
  }
  const std::string all = Lower(name);
  return any_end ? all.rfind(Lower(wanted), 0) == 0 : all == Lower(wanted);
}

inline int Main(int argc, char** argv) {
  // As its usage text has them: this is what tells a program of version 3.
  static const char* const usage = "Catch2 v3.4.0\n  -l, --list-tests\n  -v, --verbosity <level>\n";
  bool lists = false, is_quiet = false;
  std::vector<std::string> specifications;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--list-tests") == 0) {
      lists = true;
    } else if (std::strcmp(argv[i], "--verbosity") == 0 && i + 1 < argc) {
      is_quiet = std::strcmp(argv[++i], "quiet") == 0;
    } else if (argv[i][0] == '-') {
      std::fprintf(stderr, "unknown option %s\n%s", argv[i], usage);
      return 255;
    } else {
      specifications.emplace_back(argv[i]);
    }
  }
  int failures = 0;
  std::size_t chosen = 0;
  if (lists && !is_quiet) std::printf("All available test cases:\n");
  for (const Case& one : Cases()) {
    bool selected = specifications.empty();
    for (const std::string& each : specifications) selected = selected || Selects(each, one.name);
    if (!selected) continue;
    ++chosen;
    if (lists) {
      const char* const quote = one.name[0] == '#' ? "\"" : "";
      std::printf(is_quiet ? "%s%s%s\n" : "  %s%s%s\n", quote, one.name, quote);
      continue;
    }
    failed = false;
    one.body();
    if (failed) ++failures;
  }
  if (chosen == 0) {
    std::fprintf(stderr, "No test cases matched\n");
    return 2;
  }
  return failures;
}

}  // namespace like_catch3

#define LIKE_CATCH3_CASE(function, name)                                      \
  static void function();                                                     \
  static const like_catch3::Registered function##_registered(name, function); \
  static void function()
#define CHECK(condition)                          \
  do {                                            \
    if (!(condition)) like_catch3::failed = true; \
  } while (false)

int main(int argc, char** argv) { return like_catch3::Main(argc, argv); }

#endif  // HEDDLE_TESTS_LIKE_CATCH3_H_
