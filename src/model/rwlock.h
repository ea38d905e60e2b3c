// What a read-write lock is: pure. Two preferences, as glibc has them.
//
// With readers preferred (the default) a reader gets in whenever no writer is inside. With writers
// preferred a writer that can't get in queues, and from then on new readers wait: a thread that
// reads twice may then wait for itself.
#ifndef HEDDLE_MODEL_RWLOCK_H_
#define HEDDLE_MODEL_RWLOCK_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace heddle {

struct RwLock {
  ThreadId writer = kNoThread;
  std::uint32_t queued_writers = 0;  // where writers are preferred
  std::vector<ThreadId> readers;     // once for every time that it was taken to read

  bool IsFree() const { return writer == kNoThread && readers.empty(); }
  bool IsHeldBy(ThreadId thread) const { return writer == thread || IsReadBy(thread); }
  bool IsReadBy(ThreadId thread) const {
    return std::find(readers.begin(), readers.end(), thread) != readers.end();
  }

  bool CanRead() const { return writer == kNoThread && queued_writers == 0; }
  bool CanWrite() const { return IsFree(); }

  void Read(ThreadId thread) { readers.push_back(thread); }  // only when CanRead
  void Write(ThreadId thread) { writer = thread; }           // only when CanWrite

  // Whoever holds it gives it back once; false: `thread` does not hold it.
  bool Unlock(ThreadId thread) {
    if (writer == thread) {
      writer = kNoThread;
      return true;
    }
    const auto at = std::find(readers.begin(), readers.end(), thread);
    if (at == readers.end()) return false;
    readers.erase(at);
    return true;
  }
};

}  // namespace heddle

#endif  // HEDDLE_MODEL_RWLOCK_H_
