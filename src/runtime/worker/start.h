// Where runs begin when that is not before main: heddle::Ready(), or the function of --start-at.
//
// Until then the program goes on as the worker, with its main thread only; what it does is done
// once for all runs. Its first thread is the last moment in any case.
#ifndef HEDDLE_RUNTIME_WORKER_START_H_
#define HEDDLE_RUNTIME_WORKER_START_H_

#include <cstdint>

namespace heddle {

// Serves when the function at that offset of the executable is called first; 0 = no function, only
// heddle::Ready().
void ServeAtStart(std::uint64_t offset);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_WORKER_START_H_
