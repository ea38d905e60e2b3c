// --focus and --ignore: which operations are scheduling points, by the code they are done in.
//
// An operation belongs to a piece of code when it is done there or in something that was called
// from there. Outside the focus it is carried out and recorded as ever; only nobody else is let in
// before it. One that blocks, or that a thread does while it waits busily, stays a scheduling
// point: others must be able to go on.
#ifndef HEDDLE_RUNTIME_SCHEDULER_FOCUS_H_
#define HEDDLE_RUNTIME_SCHEDULER_FOCUS_H_

#include <cstdint>

#include "runtime/hooks/abi.h"
#include "trace/channel.h"

namespace heddle {

class Focus {
 public:
  // From the controller's request; before the runs that it asks for.
  static void Configure(Channel* channel);
  // False: every operation is in focus.
  static bool is_set() { return is_set_; }
  // Of the running thread's operation at that return address.
  static bool Covers(const HeddleHot& hot, std::uint64_t site);

 private:
  static bool is_set_;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_FOCUS_H_
