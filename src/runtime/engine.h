// The engine: the part of heddle inside the program under test. One per process.
#ifndef HEDDLE_RUNTIME_ENGINE_H_
#define HEDDLE_RUNTIME_ENGINE_H_

#include "runtime/hooks/abi.h"
#include "trace/channel.h"

namespace heddle {

class Scheduler;

struct Engine {
  bool booted = false;
  Scheduler* scheduler = nullptr;  // nullptr: dormant, every call passes through
  Channel* channel = nullptr;
  HeddleHot hot = {};
  bool uses_libc_heap = false;     // see LibcHeapScope
  bool has_strange_hooks = false;  // the program was compiled by another heddle
  // Called when a run ends its process, after everything about it was written; nullptr = nothing to
  // do.
  void (*before_leaving)() = nullptr;
  bool makes_more_runs = false;  // behind the one that is under way
};
extern Engine engine;

// Finds the channel and, if there is one, takes the calling (main) thread under control.
// Idempotent.
void Boot();

// The same later, in a process that ran natively so far: takes the calling thread under control as
// the main one. `stack` is an address of its stack, the same distance from everything of interest
// in every process.
void BootLate(Channel* channel, std::uint64_t stack);

// Ends a process that shares its channel with the controller of another heddle, which says so.
void RequireSameSources(Channel* channel);
[[noreturn]] void EndAsStranger(Channel* channel, Stranger what);

// While it lives, the program's hooks and interposed calls pass through: the engine itself is at
// work and calls into libraries that call back.
class EngineScope {
 public:
  EngineScope() : before_(engine.hot.active) { engine.hot.active = 0; }
  ~EngineScope() { engine.hot.active = before_; }
  EngineScope(const EngineScope&) = delete;
  EngineScope& operator=(const EngineScope&) = delete;

 private:
  std::uint32_t before_;
};

// While it lives, what is allocated comes from libc: memory of heddle's own making (a shell's
// control block) must not shift the names and addresses of the program's blocks.
class LibcHeapScope {
 public:
  LibcHeapScope() { engine.uses_libc_heap = true; }
  ~LibcHeapScope() { engine.uses_libc_heap = false; }
  LibcHeapScope(const LibcHeapScope&) = delete;
  LibcHeapScope& operator=(const LibcHeapScope&) = delete;
};

}  // namespace heddle

// For the interposed functions, which are all that the engine exports beside heddle_*.
#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))
#define HEDDLE_CALLER reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

#endif  // HEDDLE_RUNTIME_ENGINE_H_
