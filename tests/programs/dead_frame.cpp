// A thread that nobody waits for writes to a local variable of a function that may have returned;
// waiting for it there is right.
// RUN: heddle run --runs=500
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --runs=300 -- wait
// EXPECT: clean
// RUN: heddle run --runs=300 --strategy=pos -- static
// EXPECT: clean
#include <semaphore.h>

#include <atomic>
#include <cstring>
#include <thread>

namespace {

sem_t written;

[[gnu::noinline]] void Start(bool wait) {
  std::atomic<int> answer{0};
  std::thread([&answer] {
    answer.store(42);
    sem_post(&written);
  }).detach();
  if (wait) sem_wait(&written);
}

[[gnu::noinline]] void StartWithStatic() {
  static std::atomic<int> answer{0};
  std::thread([] {
    answer.store(42);
    sem_post(&written);
  }).detach();
}

}  // namespace

int main(int argc, char** argv) {
  sem_init(&written, 0, 0);
  if (argc > 1 && std::strcmp(argv[1], "static") == 0) {
    StartWithStatic();
    sem_wait(&written);
    return 0;
  }
  const bool wait = argc > 1;
  Start(wait);
  if (!wait) sem_wait(&written);
}
