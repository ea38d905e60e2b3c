// A parser whose table is built at its first use, by whoever comes first: the flag is set before
// the table is full. (order violation)
#include <cassert>
#include <thread>

#include "../stir.h"

constexpr int kEntries = 3;
static int table[kEntries];
static bool is_built = false;
static std::mutex build_lock;

static void Build() {
  const std::lock_guard guard(build_lock);
  if (is_built) return;
  is_built = true;  // should be last
  for (int i = 0; i < kEntries; ++i) table[i] = i + 1;
}

static int LookUp(int entry) {
  if (!is_built) Build();
  return table[entry];
}

static void Parse(int n) {
  Stir(n);
  const int found = LookUp(kEntries - 1);
  StirFreely(n);
  assert(found == kEntries);
}

int main() {
  std::thread a(Parse, 1), b(Parse, 2);
  a.join();
  b.join();
}
