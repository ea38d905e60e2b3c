// What the runs of a worker print: a file in memory that takes as much as they write and keeps the
// beginning and the end.
//
// A run must not notice that somebody listens: writing never fails, however much is printed. What
// lies between the parts that are kept is given back to the machine while the run goes on
// (KeepEnds), so that a run that prints for ever fills no memory.
#ifndef HEDDLE_EXPLORE_OUTPUT_FILE_H_
#define HEDDLE_EXPLORE_OUTPUT_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "explore/descriptor.h"

namespace heddle {

inline constexpr std::size_t kOutputKept = 256u << 10;  // bytes of a run's output

// The text as it is reported: all of it, or its two ends and how many bytes are missing.
std::string ShortOutput(std::string_view text);

// The worker has a copy of the descriptor, so that its place in the file is ours to see.
class OutputFile {
 public:
  OutputFile() = default;  // no file
  static Result<OutputFile> Make();

  int descriptor() const { return file_.get(); }

  // Called now and then while a run prints.
  void KeepEnds() const;

  // Of a run that printed so many bytes; as ShortOutput gives it.
  std::string Text(std::uint64_t bytes) const;
  std::string Text() const;  // up to where it was written last

 private:
  explicit OutputFile(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_OUTPUT_FILE_H_
