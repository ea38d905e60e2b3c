// Local variables of functions that have returned.
//
// What lies below the stack pointer of a thread is nobody's. A thread that is not running is inside
// the engine, whose frames begin where the program's end: its innermost frame of the program is
// found by following frame pointers out of the engine. Nothing is paid for it but at accesses to
// another thread's stack.
#ifndef HEDDLE_RUNTIME_SCHEDULER_DEAD_FRAMES_H_
#define HEDDLE_RUNTIME_SCHEDULER_DEAD_FRAMES_H_

#include <cstdint>

#include "runtime/memory/layout.h"
#include "runtime/memory/location.h"
#include "runtime/switch/shell.h"

namespace heddle {

class DeadFrames {
 public:
  // Whether the address may be on the stack of a thread other than the one in `running`.
  static bool IsForeignStack(std::uint64_t address, const Shell& running) {
    if (address - kStacksBase < kStacksSize) return Shell::At(address) != &running;
    return Locations::IsMainStack(address) && &running != Shells::Main();
  }

  // The shell whose thread has left the function that the address belonged to; nullptr when the
  // address is in use, or nobody can tell (a stack that the program itself switched to).
  static const Shell* OwnerOf(std::uint64_t address);
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_DEAD_FRAMES_H_
