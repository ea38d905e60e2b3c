// HaPSets on disk, merged over inputs and test suites, and read as coverage: which statements were
// seen right behind which others, and which never (heddle run --hapset FILE).
//
// Addresses are one process's, so a statement is kept as an offset in a module. That holds for one
// build of the program only, which the file names.
#ifndef HEDDLE_EXPLORE_HAPSET_FILE_H_
#define HEDDLE_EXPLORE_HAPSET_FILE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "strategy/hapset.h"
#include "trace/channel.h"

namespace heddle {

class HapsetFile {
 public:
  explicit HapsetFile(std::string path) : path_(std::move(path)) {}

  // What the file holds, with the addresses of a worker with these modules. No file: nothing. An
  // Error: it is none of ours, or of another build.
  // Another number of call sites is an Error, too.
  Result<HapSets> Read(std::span<const ModuleRecord> modules, std::uint64_t call_sites);

  // Replaces the file by all pairs seen. Those that were seen in the other order only are listed
  // behind them, for people.
  Status Write(const HapSets& seen, std::span<const ModuleRecord> modules);

  // What Read and Write add up to, in one sentence.
  std::string Remark() const;

 private:
  const std::string path_;
  std::size_t before_ = 0;
  std::size_t seen_ = 0;
  std::size_t never_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_HAPSET_FILE_H_
