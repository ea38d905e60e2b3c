// What of the channel is a run's so far and changes with the runs that are made from here.
//
// Made at a checkpoint (worker/checkpoint.h), of the run that leaves it. Restore() is called there
// before each further run begins, so that nothing of the run before is in its record, however early
// it ends. Where objects reach to is not among it: the recorder knows that (Recorder::StoreExtents).
#ifndef HEDDLE_RUNTIME_WORKER_BEGINNING_H_
#define HEDDLE_RUNTIME_WORKER_BEGINNING_H_

#include <cstdint>

#include "trace/channel.h"

namespace heddle {

// One in a process at a time: what is large in it lies beside it, because the stack that it is made
// on may be small.
class Beginning {
 public:
  explicit Beginning(const Channel& channel);

  // The record is of the run that is requested now.
  void Restore(Channel* channel) const;

 private:
  const RunRecord record_;
  const std::uint32_t decisions_, events_, objects_, threads_, frames_, met_sites_;
  const std::uint64_t heartbeat_;
  Event last_;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_WORKER_BEGINNING_H_
