// A run that was given up as redundant, in a process that is to make more of them.
//
// Its record is complete by then. But its threads are in the middle of things: they hold locks,
// own memory, have changed globals and not put them right again. So the program simply goes on, in
// some order and without anybody noting it, until the body has returned as after any other run. If
// that order fails, or does not come to an end, the process is left, as where there is one for each
// run: whatever happens there happens in a run that counts, too.
#ifndef HEDDLE_RUNTIME_SCHEDULER_RUNNING_OUT_H_
#define HEDDLE_RUNTIME_SCHEDULER_RUNNING_OUT_H_

#include <cstdint>

#include "trace/channel.h"
#include "trace/decision.h"

namespace heddle {

class RunningOut {
 public:
  bool is_on() const { return is_on_; }

  // All about the run is in the channel; what is added from now on does not belong to it.
  void Begin(const Channel& channel);
  // The channel as it was then.
  void End(Channel* channel) const;

  // Whoever runs goes on, unless it only waits; nobody's time is up while others can go on.
  static std::size_t Choose(const Decision& decision);

 private:
  bool is_on_ = false;
  std::uint32_t decisions_ = 0;
  std::uint32_t events_ = 0;
  std::uint32_t objects_ = 0;
  std::uint32_t threads_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_RUNNING_OUT_H_
