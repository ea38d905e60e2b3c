// Streams of stdio as the scheduler sees them.
#ifndef HEDDLE_RUNTIME_INTERPOSE_STREAM_H_
#define HEDDLE_RUNTIME_INTERPOSE_STREAM_H_

#include <stdio.h>

#include <cstdint>
#include <optional>

#include "runtime/scheduler/scheduler.h"

namespace heddle {

// Where the order matters in which threads print (Rule::kOutput): one at a time, from here to the
// end of the scope. Standard output and standard error are looked at as one.
class OutputScope {
 public:
  OutputScope(bool prints, std::uint64_t site);
  OutputScope(int descriptor, std::uint64_t site)
      : OutputScope(descriptor == 1 || descriptor == 2, site) {}
  ~OutputScope();
  OutputScope(const OutputScope&) = delete;
  OutputScope& operator=(const OutputScope&) = delete;

 private:
  Scheduler* scheduler_ = nullptr;
  std::uint64_t site_;
};

// Holds the stream during one call, where that can matter: somebody holds one for longer
// (flockfile), or it is one that a thread may wait in.
class StreamScope {
 public:
  StreamScope(FILE* stream, std::uint64_t site);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  Scheduler* scheduler_ = nullptr;
  FILE* stream_;
  std::uint64_t site_;
  std::optional<OutputScope> output_;
};

// A stream on a pipe or a socket, made by fdopen or fopen. Its bytes come and go through our own
// read and write, so that a thread that waits in it lets the others go on (stream_channel.cc).
bool IsChannelStream(FILE* stream);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_STREAM_H_
