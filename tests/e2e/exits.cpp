// A thread that ends the process while another one is at work, by name:
//
//   exits HOW     _exit, exit, main (returns), handler (exit with a handler that does something);
//                 asleep, waiting: what the other one does comes behind a sleep, or a wait with an
//                 end, that main does not wait for
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

namespace {

alignas(64) std::atomic<int> x{0};
alignas(64) std::atomic<int> y{0};

void AtExit() { y.fetch_add(2, std::memory_order_relaxed); }

void* Adds(void*) {
  x.fetch_add(1, std::memory_order_relaxed);
  x.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

void* AddsLater(void*) {
  usleep(1000);
  return Adds(nullptr);
}

void* AddsUnlessPosted(void*) {
  sem_t never;
  sem_init(&never, 0, 0);
  const timespec past = {1, 0};
  sem_timedwait(&never, &past);
  return Adds(nullptr);
}

void* LeavesAtOnce(void*) {
  y.fetch_add(1, std::memory_order_relaxed);
  _exit(0);
}

void* Exits(void*) {
  y.fetch_add(1, std::memory_order_relaxed);
  std::exit(0);
}

void* Returns(void*) {
  y.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  if (how == "handler") std::atexit(AtExit);
  pthread_t threads[2];
  if (how == "asleep" || how == "waiting") {
    pthread_create(&threads[0], nullptr, how == "asleep" ? AddsLater : AddsUnlessPosted, nullptr);
    _exit(x.load(std::memory_order_relaxed) > 2);
  }
  pthread_create(&threads[0], nullptr, Adds, nullptr);
  pthread_create(&threads[1], nullptr,
                 how == "_exit"  ? LeavesAtOnce
                 : how == "main" ? Returns
                                 : Exits,
                 nullptr);
  if (how == "main") _exit(0);
  for (pthread_t& thread : threads) pthread_join(thread, nullptr);
  return 0;
}
