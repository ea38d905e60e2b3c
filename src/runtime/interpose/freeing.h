// What the end of a block is to the other threads, be it malloc's or of the program's own
// allocator.
#ifndef HEDDLE_RUNTIME_INTERPOSE_FREEING_H_
#define HEDDLE_RUNTIME_INTERPOSE_FREEING_H_

#include <cstdint>

#include "runtime/scheduler/scheduler.h"

namespace heddle {

// A write to all of it, where others have touched it. They may run meanwhile.
void TouchFreed(Scheduler* scheduler, const void* pointer, std::uint64_t size, std::uint64_t site);

// The same for memory that is unmapped; also where they will touch it, if that was seen in a run
// before. Who touches it then crashes, which tells nobody of the other order.
void TouchUnmapped(Scheduler* scheduler, const void* pointer, std::uint64_t size,
                   std::uint64_t site);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_FREEING_H_
