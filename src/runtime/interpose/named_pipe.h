// Named pipes. Opening one waits for somebody at the other end, in the program or outside.
//
// As in the kernel, who waits for the other end is there for it already: the pipe is opened at
// once, without blocking, and the wait is an operation of its own. A pipe that the program opened
// at both ends is its own; any other is outside.
#ifndef HEDDLE_RUNTIME_INTERPOSE_NAMED_PIPE_H_
#define HEDDLE_RUNTIME_INTERPOSE_NAMED_PIPE_H_

#include <sys/types.h>

#include <cstdint>

namespace heddle {

struct OpenRequest {
  int directory = -100;  // AT_FDCWD
  const char* name = nullptr;
  int flags = 0;
  std::uint64_t site = 0;
};

// True: it is one, and `result` is what open() returns. False: an ordinary file.
bool OpenNamedPipe(const OpenRequest& request, int* result);

void ForgetNamedPipe(int descriptor);  // it is closed
void ForgetNamedPipes();               // between runs

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_NAMED_PIPE_H_
