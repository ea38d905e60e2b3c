// What the model of reachability testing does not cover is named, and nothing is claimed.
// RUN: heddle run --strategy=reachability --runs=50 -- rwlock
// EXPECT: clean, output~does not cover a read-write lock
// RUN: heddle run --strategy=reachability --runs=50 -- barrier
// EXPECT: clean, output~does not cover a barrier
// RUN: heddle run --strategy=reachability --runs=50 -- trylock
// EXPECT: clean, output~does not cover a trylock
// RUN: heddle run --strategy=reachability --runs=50 -- trywait
// EXPECT: clean, output~does not cover a sem_trywait
// RUN: heddle run --strategy=reachability --runs=50 -- timed
// EXPECT: clean, output~does not cover an operation that may time out
// RUN: heddle run --strategy=reachability --runs=50 -- futex
// EXPECT: clean, output~does not cover a futex
// RUN: heddle run --strategy=reachability --runs=50 -- readers
// EXPECT: clean, output~does not cover several readers of a pipe
// RUN: heddle run --strategy=reachability --runs=50 -- poll
// EXPECT: clean, output~does not cover a wait for descriptors
// RUN: heddle run --strategy=reachability --races=off -- race
// EXPECT: clean, output~does not cover a data race
// RUN: heddle run --strategy=reachability --runs=50 -- rwlock
// EXPECT: clean, output~that these are all is not shown
#include <heddle/heddle.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>

namespace {

std::shared_mutex shared;
std::mutex mutex;
std::condition_variable condition;
pthread_barrier_t barrier;
sem_t semaphore;
int ends[2];
int count = 0;

void Write() {
  const char byte = 'x';
  if (write(ends[1], &byte, 1) != 1) ++count;
}

void Read() {
  char byte = 0;
  if (read(ends[0], &byte, 1) != 1) ++count;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "rwlock") {
    heddle::Concurrently([] { const std::shared_lock lock(shared); },
                         [] {
                           const std::lock_guard lock(shared);
                           ++count;
                         });
  } else if (what == "barrier") {
    pthread_barrier_init(&barrier, nullptr, 2);
    heddle::Concurrently([] { pthread_barrier_wait(&barrier); },
                         [] { pthread_barrier_wait(&barrier); });
  } else if (what == "trylock") {
    const auto use = [] {
      if (mutex.try_lock()) mutex.unlock();
    };
    heddle::Concurrently(use, use);
  } else if (what == "trywait") {
    sem_init(&semaphore, 0, 0);
    heddle::Concurrently([] { sem_trywait(&semaphore); }, [] { sem_post(&semaphore); });
  } else if (what == "timed") {
    heddle::Concurrently(
        [] {
          std::unique_lock lock(mutex);
          condition.wait_for(lock, std::chrono::seconds(1));
        },
        [] { condition.notify_one(); });
  } else if (what == "futex") {
    std::counting_semaphore<4> tokens(0);
    heddle::Concurrently([&] { tokens.acquire(); }, [&] { tokens.release(); });
  } else if (what == "race") {
    heddle::Concurrently([] { ++count; }, [] { ++count; });
  } else if (pipe(ends) != 0) {
    return 1;
  } else if (what == "readers") {
    heddle::Concurrently(Read, Read, Write, Write);
  } else {
    heddle::Concurrently(
        [] {
          pollfd wanted = {ends[0], POLLIN, 0};
          poll(&wanted, 1, -1);
        },
        Write);
  }
  return 0;
}
