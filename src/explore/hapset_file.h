// HaPSets on disk, merged over inputs and test suites, and read as coverage: which statements were
// seen right behind which others, and which never (heddle run --hapset FILE).
//
// Addresses are one process's, so a statement is kept as an offset in a module. That holds for one
// build of the program only, which the file names.
#ifndef HEDDLE_EXPLORE_HAPSET_FILE_H_
#define HEDDLE_EXPLORE_HAPSET_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "strategy/hapset.h"
#include "trace/channel.h"

namespace heddle {

class HapsetFile {
 public:
  explicit HapsetFile(std::string path) : path_(std::move(path)) {}

  // What the file holds, with the addresses of a worker with these modules. No file: nothing. An
  // Error: it is none of ours, of another build, of another number of call sites, or cut off; or it
  // could not be written when the search is over.
  Result<HapSets> Read(std::span<const ModuleRecord> modules, std::uint64_t call_sites);

  // Adds all pairs seen to the file, to which others may have added since it was read. Those that
  // were seen in the other order only are listed behind them, for people.
  Status Write(const HapSets& seen, std::span<const ModuleRecord> modules);

  // What Read and Write add up to, in one sentence.
  std::string Remark() const;

  // A pair with a statement of a module that is not loaded this time (another input loads it): kept
  // as it is.
  struct Elsewhere {
    struct Statement {
      std::string module;  // its path
      std::string rest;    // as in the file
    };
    int is_lower = 0;
    Statement statement;
    Statement before;
    std::string names;
  };

 private:
  Result<HapSets> ReadAll(std::span<const ModuleRecord> modules, std::uint64_t call_sites);

  const std::string path_;
  HapSets at_first_;  // when the search began
  std::vector<Elsewhere> elsewhere_;
  std::size_t seen_ = 0;
  std::size_t new_ = 0;  // seen by this search first
  std::size_t never_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_HAPSET_FILE_H_
