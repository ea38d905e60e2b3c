// The files something was built from, and whether they are still the same.
#ifndef HEDDLE_COMPILE_DEPENDENCIES_H_
#define HEDDLE_COMPILE_DEPENDENCIES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// Time and size are looked at first, because a program has hundreds of headers; only when they
// differ the content decides.
struct Dependency {
  std::string path;  // absolute
  std::uint64_t size = 0;
  std::uint64_t modified = 0;  // nanoseconds since 1970
  std::uint64_t content = 0;   // hash

  friend bool operator==(const Dependency&, const Dependency&) = default;
};

// Nothing when it can't be read.
std::optional<Dependency> DescribeFile(const std::string& path);
bool IsUnchanged(const Dependency& dependency);

// The prerequisites of a rule as compilers (-MD) and linkers (--dependency-file) write it.
std::vector<std::string> PrerequisitesIn(std::string_view makefile);

// One line each; nothing when the text is not what DependenciesAsText wrote.
std::string DependenciesAsText(const std::vector<Dependency>& dependencies);
std::optional<std::vector<Dependency>> DependenciesFromText(std::string_view text);

}  // namespace heddle

#endif  // HEDDLE_COMPILE_DEPENDENCIES_H_
