// A directory for the TMPDIRs of workers, or for what a benchmark builds; removed with everything
// in it.
//
// Whoever is killed leaves its directory behind. It is locked as long as its owner lives, so the
// next one that is made removes those that nobody locks.
#ifndef HEDDLE_EXPLORE_TEMPORARY_H_
#define HEDDLE_EXPLORE_TEMPORARY_H_

#include <string>
#include <utility>

#include "base/result.h"
#include "explore/descriptor.h"

namespace heddle {

class TemporaryDirectory {
 public:
  // In $TMPDIR or /tmp. Names have one length: the program sees it in its environment.
  static Result<TemporaryDirectory> Make();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept
      : path_(std::exchange(other.path_, "")), lock_(std::move(other.lock_)) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory();

  const std::string& path() const { return path_; }

 private:
  TemporaryDirectory(std::string path, Descriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  Descriptor lock_;
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_TEMPORARY_H_
