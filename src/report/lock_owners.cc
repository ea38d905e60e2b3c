#include "report/lock_owners.h"

#include <algorithm>

#include "trace/held_locks.h"

namespace heddle {

ThreadId LockOwners::OwnerOf(ObjectId lock) const {
  const auto found = held_.find(lock);
  return found == held_.end() ? kNoThread : found->second.thread;
}

void LockOwners::Apply(const RunTrace& trace, const Event& event) {
  const ObjectKind kind =
      event.object < trace.objects.size() ? trace.objects[event.object].kind : ObjectKind::kUnknown;
  const bool is_lock = kind == ObjectKind::kMutex || kind == ObjectKind::kSpinlock ||
                       kind == ObjectKind::kStream || kind == ObjectKind::kRwLock;
  const bool succeeded = (event.flags & (Event::kFailed | Event::kTimedOut)) == 0;
  const auto take = [&](ObjectId lock) {
    Holding& holding = held_[lock];
    if (holding.depth == 0 || holding.thread != event.thread) {
      holding = {event.thread, 0};
      order_[event.thread].push_back(lock);
    }
    ++holding.depth;
  };
  const auto release = [&](ObjectId lock, bool wholly) {
    const auto found = held_.find(lock);
    if (found == held_.end() || found->second.thread != event.thread) return;
    if (--found->second.depth > 0 && !wholly) return;
    held_.erase(found);
    std::vector<ObjectId>& order = order_[event.thread];
    order.erase(std::remove(order.begin(), order.end(), lock), order.end());
  };

  if (event.kind == OpKind::kWait) {
    // A wait gives up its mutex, which is not part of the event: the one taken last. Taking it
    // again is a lock of its own.
    if (!order_[event.thread].empty()) release(order_[event.thread].back(), /*wholly=*/true);
  } else if (!is_lock) {
    return;
  } else if (event.kind == OpKind::kOwnerDied) {
    release(event.object, /*wholly=*/true);
  } else if (const int change = ChangeOfHeld(event.kind); change < 0) {
    release(event.object, /*wholly=*/false);
  } else if (change > 0 && succeeded) {
    take(event.object);
  }
}

}  // namespace heddle
