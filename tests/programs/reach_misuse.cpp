// Unlocking a lock of another's, in one order only: the exception is a finding with its schedule.
// RUN: heddle run --strategy=reachability
// EXPECT: kind=exception, first_run=2
#include <heddle/heddle.h>
#include <heddle/sync.h>

int main() {
  heddle::Lock lock;
  heddle::Lock guard;
  bool taken = false;
  heddle::Concurrently(
      [&] {
        guard.lock();
        taken = true;
        guard.unlock();
        lock.lock();
        lock.unlock();
      },
      [&] {
        guard.lock();
        const bool seen = taken;
        guard.unlock();
        if (!seen) lock.unlock();
      });
  return 0;
}
