// A tracing library: threads register themselves in a table without a lock, while the trace is
// being written from it. (after the bug class of SCTBench's ctrace-test)
#include <cassert>
#include <cstring>
#include <mutex>
#include <thread>

constexpr int kSlots = 4;

struct Entry {
  const char* name = nullptr;
  int level = 0;
};

Entry* table[kSlots];
int registered = 0;
std::mutex lock;

void Register(const char* name) {
#ifdef FIXED
  const std::lock_guard guard(lock);
#endif
  const int slot = registered;
  registered = slot + 1;
  table[slot] = new Entry{name, 1};
}

void Dump() {
#ifdef FIXED
  const std::lock_guard guard(lock);
#endif
  const int count = registered;
  for (int i = 0; i < count; ++i) {
    assert(table[i] != nullptr && std::strlen(table[i]->name) > 0);
  }
}

int main() {
  std::thread one([] { Register("one"); });
  std::thread other([] { Register("other"); });
  Dump();
  one.join();
  other.join();
  assert(registered == 2);
}
