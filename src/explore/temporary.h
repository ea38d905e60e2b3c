// A directory for the TMPDIRs of workers, or for what a benchmark builds; removed with everything in
// it.
#ifndef HEDDLE_EXPLORE_TEMPORARY_H_
#define HEDDLE_EXPLORE_TEMPORARY_H_

#include <string>
#include <utility>

#include "base/result.h"

namespace heddle {

class TemporaryDirectory {
 public:
  // In $TMPDIR or /tmp. Names have one length: the program sees it in its environment.
  static Result<TemporaryDirectory> Make();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory();

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_TEMPORARY_H_
