// Threads that wait until somebody wakes them: condition variables and futexes.
//
// First in, first out; which of several waiters a wake-up reaches is the caller's decision.
#ifndef HEDDLE_MODEL_WAIT_QUEUE_H_
#define HEDDLE_MODEL_WAIT_QUEUE_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/ids.h"

namespace heddle {

class WaitQueue {
 public:
  bool empty() const { return threads_.empty(); }
  std::size_t size() const { return threads_.size(); }
  bool has_memory() const { return threads_.capacity() != 0; }  // to be given back
  std::span<const ThreadId> threads() const { return threads_; }

  void Add(ThreadId thread) { threads_.push_back(thread); }

  // Whether it was there.
  bool Remove(ThreadId thread) {
    const auto at = std::find(threads_.begin(), threads_.end(), thread);
    if (at == threads_.end()) return false;
    threads_.erase(at);
    return true;
  }

 private:
  std::vector<ThreadId> threads_;
};

}  // namespace heddle

#endif  // HEDDLE_MODEL_WAIT_QUEUE_H_
