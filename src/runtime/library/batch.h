// The process that makes many runs of a body, one after the other: the middle between a worker and
// a run.
//
// A child of the worker. It answers the controller's requests itself as long as nothing goes wrong;
// a run that crashes, blocks for ever or fails ends this process only, and the worker forks the
// next one.
#ifndef HEDDLE_RUNTIME_LIBRARY_BATCH_H_
#define HEDDLE_RUNTIME_LIBRARY_BATCH_H_

#include "runtime/library/body.h"
#include "trace/channel.h"

namespace heddle {

// In a fresh child of the worker, while it is the worker's turn. Never returns.
[[noreturn]] void ServeBatch(const Body& body, Channel* channel);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_LIBRARY_BATCH_H_
