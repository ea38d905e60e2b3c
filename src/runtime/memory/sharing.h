// Which memory is shared: a cell per 8-byte granule says who touched it, and a conflict between
// threads that nothing orders turns both code sites into scheduling points of later runs.
//
// A location goes from untouched to one thread's own, to read by several, to shared. What thread
// creation and joining order does not count: data written before the thread was made, results read
// after it was joined. Extra granules (two small variables in one) only add points; no conflicting
// pair is ever missed once the set of points is stable.
#ifndef HEDDLE_RUNTIME_MEMORY_SHARING_H_
#define HEDDLE_RUNTIME_MEMORY_SHARING_H_

#include <cstdint>

#include "base/ids.h"
#include "runtime/memory/layout.h"
#include "runtime/memory/sites.h"

namespace heddle {

class Sharing {
 public:
  static void Prepare(HeddleHot* hot, AddressRange main_stack);

  // `thread` runs from now on: sets what the hooks' fast path compares with. `is_alone`: what it
  // does comes before all that later threads do, so there is no site to learn.
  static void SetRunning(HeddleHot* hot, ThreadId thread, bool is_alone);
  // Until then every write of the running thread is told to the engine.
  static void WatchWrites(HeddleHot* hot);

  static void ThreadCreated(ThreadId child, ThreadId parent);
  // The running thread is that parent: what it does from now on comes behind that.
  static void GoOnInNewEpoch(HeddleHot* hot);
  static void ThreadJoined(ThreadId child, ThreadId by);
  // One thread is left and has joined all others: whatever they did is ordered before what it will
  // do.
  static void Quiesced();

  // At a site that is no scheduling point; nullptr: there is none to learn.
  static void Touch(const void* address, std::uint64_t size, bool is_write, ThreadId thread,
                    Site* site, Channel* channel);
  // At a scheduling point: usually within one granule.
  static void TouchAtPoint(const void* address, std::uint64_t size, bool is_write, ThreadId thread,
                           Channel* channel) {
    if (__builtin_expect((reinterpret_cast<std::uint64_t>(address) & 7) + size <= 8, 1)) {
      TouchGranuleAtPoint(address, is_write, thread, channel);
    } else {
      TouchGranulesAtPoint(address, size, is_write, thread, channel);
    }
  }

  // Between two runs in one process: nobody has touched anything.
  static void ResetForRun();
  // Changes whenever all that was touched before no longer counts.
  static std::uint64_t Age();
  // Nobody has touched the granule in this life of the memory.
  static bool IsUntouched(const void* address) {
    return *reinterpret_cast<const std::uint64_t*>(
               kShadowBase +
               (reinterpret_cast<std::uint64_t>(address) & HEDDLE_SHADOW_MASK & ~7ull)) == 0;
  }
  // Whether a thread touched some of it whose accesses nothing orders before what `thread` does
  // now.
  static bool IsTouchedByOthers(const void* address, std::uint64_t size, ThreadId thread);

  // The memory's life is over, or another begins: nobody has touched it, and whoever does is seen
  // by the engine.
  static void Forget(const void* address, std::uint64_t size);
  // The memory has a new life and is in use: nobody has touched it.
  static void Revive(const void* address, std::uint64_t size);

 private:
  static void TouchGranuleAtPoint(const void* address, bool is_write, ThreadId thread,
                                  Channel* channel);
  static void TouchGranulesAtPoint(const void* address, std::uint64_t size, bool is_write,
                                   ThreadId thread, Channel* channel);
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_MEMORY_SHARING_H_
