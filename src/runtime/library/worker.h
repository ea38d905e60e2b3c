// A worker that a test process forked where it called heddle::Explore.
#ifndef HEDDLE_RUNTIME_LIBRARY_WORKER_H_
#define HEDDLE_RUNTIME_LIBRARY_WORKER_H_

#include "runtime/library/body.h"
#include "trace/channel.h"

namespace heddle {

struct WorkerDescriptors {
  int channel = -1;
  int input = -1;
  int output = -1;
};

// The shared memory behind a descriptor that the controller sent.
Channel* MapChannelOfWorker(int fd);

// In the forked child. Takes the calling thread under control and answers the controller's
// requests. `stack` as for BootLate. Never returns; `parent` is the test process, with which it
// dies.
[[noreturn]] void BecomeWorker(const Body& body, const WorkerDescriptors& descriptors, int parent,
                               std::uint64_t stack);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_LIBRARY_WORKER_H_
