// Stacks of the tested program's threads, without heddle's own frames on top.
#ifndef HEDDLE_RUNTIME_SCHEDULER_STACKS_H_
#define HEDDLE_RUNTIME_SCHEDULER_STACKS_H_

#include <cstdint>

#include "trace/records.h"

namespace heddle {

class Recorder;

inline constexpr std::uint32_t kMostFrames = 64;

// The calling thread's return addresses, innermost first, frames of the engine left out.
// Not for a stack that may be damaged.
std::uint32_t CaptureStack(std::uint64_t* frames, std::uint32_t most);

// The same, stored; `site` becomes the first frame when the walk does not begin with it.
StackRecord CaptureInto(Recorder* recorder, std::uint64_t site);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_STACKS_H_
