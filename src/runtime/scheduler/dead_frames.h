// Local variables of functions that have returned.
//
// What lies below the stack pointer of a thread is nobody's. A thread that is not running is inside
// the engine, whose frames begin where the program's end: its innermost frame of the program is
// found by following frame pointers out of the engine. Nothing is paid for it but at accesses to
// another thread's stack.
//
// A thread's own dead frames are found where its accesses come by the engine anyway: atomics and
// synchronisation always, a plain access when its instruction is met first (docs/findings.md says
// what that misses). What lies below the stack pointer of the code that makes the access is dead,
// whatever alloca, inlining or longjmp did before; code with hooks has no red zone, because it
// calls. On a stack of the program's own making nothing is said.
#ifndef HEDDLE_RUNTIME_SCHEDULER_DEAD_FRAMES_H_
#define HEDDLE_RUNTIME_SCHEDULER_DEAD_FRAMES_H_

#include <cstdint>

#include "runtime/memory/layout.h"
#include "runtime/memory/location.h"
#include "runtime/switch/shell.h"

namespace heddle {

class DeadFrames {
 public:
  // Before runs are made in copies of this process: asks the system where the main thread's stack
  // lies, so that they need not.
  static void Prepare();

  // Whether the address may be on the stack of a thread other than the one in `running`.
  static bool IsForeignStack(std::uint64_t address, const Shell& running) {
    if (address - kStacksBase < kStacksSize) return Shell::At(address) != &running;
    return Locations::IsMainStack(address) && &running != Shells::Main();
  }

  // Of such an address: whether it is known to be in use, without looking far.
  static bool IsKnownLive(std::uint64_t address) {
    return IsKnownLiveIn(address - kStacksBase < kStacksSize ? Shell::At(address) : Shells::Main(),
                         address);
  }
  // Of any address: whether it is that, being on the main thread's stack, which others share most.
  static bool IsKnownLive(std::uint64_t address, const Shell& running) {
    const Shell* const main = Shells::Main();
    return Locations::IsMainStack(address) && &running != main && IsKnownLiveIn(main, address);
  }

  // Whether the address is on the running thread's own stack, near enough to where the engine is
  // now to be below the program's frames.
  static bool MayBeOwnDead(std::uint64_t address, const Shell& running) {
    constexpr std::uint64_t kMostOfEngine = 4096;  // the engine's frames on top of the program's
    const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    if (address >= here + kMostOfEngine) return false;
    if (address - kStacksBase < kStacksSize) return Shell::At(address) == &running;
    return Locations::IsMainStack(address) && &running == Shells::Main();
  }
  // Of such an address: whether it is. `entry` is the frame of the engine that a hook called, and
  // `pc` where the hook returns to; nullptr: the engine was called directly.
  static bool IsOwnDead(std::uint64_t address, const Shell& running, const std::uint64_t* entry,
                        std::uint64_t pc);

  // Whether the calling thread, in that shell, stands on its own stack as far as it reaches: from a
  // stack that the program made inside of it, nobody knows what is in use.
  static bool StandsOnAllOf(const Shell& shell);

  // The shell whose thread has left the function that the address belonged to; nullptr when the
  // address is in use, or nobody can tell (a stack that the program itself switched to).
  static const Shell* OwnerOf(std::uint64_t address);

 private:
  static bool IsKnownLiveIn(const Shell* owner, std::uint64_t address) {
    static_assert(Shell::kNotAsked - 1 > Shell::kAllLive);  // nothing lies behind that
    return owner != nullptr && owner->live_from - 1 < address &&
           (!owner->is_over || owner == Shells::Main());
  }
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_DEAD_FRAMES_H_
