// A cache of compiled scripts: the collector empties it while a context that has just looked a
// script up has not yet marked it as used. It takes a look-up, a full collection and a second
// look-up in between. (after the bug class of radbench's SpiderMonkey cases)
#include <cassert>
#include <mutex>
#include <thread>

struct Script {
  bool marked = false;
  bool freed = false;
};

std::mutex cache_lock, gc_lock;
Script script;
bool cached = true;
int active = 0;

Script* Lookup() {
  const std::lock_guard guard(cache_lock);
  return cached ? &script : nullptr;
}

void Run() {
#ifdef FIXED
  const std::lock_guard running(gc_lock);
#endif
  Script* const found = Lookup();
  if (found == nullptr) return;
  {
    const std::lock_guard guard(cache_lock);
    ++active;
    found->marked = true;
  }
  assert(!found->freed);
  const std::lock_guard guard(cache_lock);
  --active;
}

void Collect() {
  const std::lock_guard collecting(gc_lock);
  bool idle = false;
  {
    const std::lock_guard guard(cache_lock);
    idle = active == 0 && !script.marked;
  }
  if (!idle) return;
  const std::lock_guard guard(cache_lock);
  cached = false;
  script.freed = true;
}

int main() {
  std::thread one(Run), other(Run), collector(Collect);
  one.join();
  other.join();
  collector.join();
}
