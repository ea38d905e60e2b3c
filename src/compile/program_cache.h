// Programs built earlier, found again while everything they were built from is unchanged.
#ifndef HEDDLE_COMPILE_PROGRAM_CACHE_H_
#define HEDDLE_COMPILE_PROGRAM_CACHE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/dependencies.h"

namespace heddle {

// A folder with an entry per key; the key stands for whatever is not a file: commands, working
// directory, environment. Several processes may use it at once: a program's folder is complete
// before it gets its final name, and is never written again.
class ProgramCache {
 public:
  explicit ProgramCache(std::string directory) : directory_(std::move(directory)) {}

  // The path of the program, if it is there and up to date.
  std::optional<std::string> Find(std::uint64_t key) const;

  // An empty folder to build in; it must come back in Keep or be removed by the caller.
  Result<std::string> NewFolder();
  // Makes `folder`/`name` the program of `key`, and returns where it lies from now on.
  Result<std::string> Keep(std::uint64_t key, const std::string& folder, const std::string& name,
                           const std::vector<Dependency>& dependencies);

 private:
  std::string EntryPath(std::uint64_t key) const;

  std::string directory_;
};

}  // namespace heddle

#endif  // HEDDLE_COMPILE_PROGRAM_CACHE_H_
