// One-time initialisation (pthread_once, static-local guards): pure.
#ifndef HEDDLE_MODEL_ONCE_H_
#define HEDDLE_MODEL_ONCE_H_

#include "base/ids.h"

namespace heddle {

struct Once {
  bool done = false;
  ThreadId runner = kNoThread;  // who initialises now
  std::uint64_t known_to = 0;   // threads that have come by, a bit set; of the first 64

  // Reaching it does not block: it is done, or nobody is at it. (The runner itself may come again:
  // for a static local that is undefined, for pthread_once a deadlock.)
  bool CanPass() const { return done || runner == kNoThread; }
  void Begin(ThreadId thread) { runner = thread; }
  void Finish() {
    done = true;
    runner = kNoThread;
  }
  void LetKnow(ThreadId thread) {
    if (thread < 64) known_to |= std::uint64_t{1} << thread;
  }
  bool IsKnownTo(ThreadId thread) const { return thread < 64 && (known_to >> thread & 1) != 0; }
  // The initialiser threw or was cancelled: the next one tries again.
  void Abandon() { runner = kNoThread; }
};

}  // namespace heddle

#endif  // HEDDLE_MODEL_ONCE_H_
