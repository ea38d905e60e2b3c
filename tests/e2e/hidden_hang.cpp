// The first thread goes into a loop that nobody sees; what is wrong is between the others. With an
// argument they fail an assertion, otherwise they end the process.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cassert>

namespace {

bool asserts = false;

alignas(64) std::atomic<int> x{0};
alignas(64) std::atomic<int> y{0};

[[gnu::noinline]] __attribute__((no_sanitize("thread"))) void Hang() {
  for (volatile int i = 0;;) i = i + 1;
}

void* Hangs(void*) {
  x.fetch_add(1, std::memory_order_relaxed);
  Hang();
  return nullptr;
}

void* Writes(void*) {
  y.store(1, std::memory_order_relaxed);
  y.store(2, std::memory_order_relaxed);
  return nullptr;
}

void* Reads(void*) {
  const bool is_early = y.load(std::memory_order_relaxed) == 0;
  if (is_early && !asserts) _exit(3);
  assert(!is_early);
  return nullptr;
}

}  // namespace

int main(int argc, char**) {
  asserts = argc > 1;
  pthread_t threads[3];
  pthread_create(&threads[0], nullptr, Hangs, nullptr);
  pthread_create(&threads[1], nullptr, Writes, nullptr);
  pthread_create(&threads[2], nullptr, Reads, nullptr);
  for (pthread_t& thread : threads) pthread_join(thread, nullptr);
  return 0;
}
