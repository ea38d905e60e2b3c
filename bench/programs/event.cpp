// event FILE THREADS EVENTS: one thread makes events, the others sleep; there is nothing to decide.
// What does an event cost near the 1,000th, 10,000th, … of the run?
#include <semaphore.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "measure.h"

constexpr int kObjects = 16;
constexpr int kChunk = 500;  // events

std::mutex mutexes[kObjects];
std::atomic<int> numbers[kObjects];

void LockAndUnlock() {
  for (int i = 0; i < kChunk / 2; ++i) {
    mutexes[i % kObjects].lock();
    mutexes[i % kObjects].unlock();
  }
}

void Increment() {
  for (int i = 0; i < kChunk; ++i) numbers[i % kObjects].fetch_add(1);
}

UNSEEN void Measure(const char* file, const char* what, void (*chunk)(), long events) {
  static Samples all;
  all.count = 0;
  long next = 1000;
  int first = 0;
  for (long done = kChunk; done <= events; done += kChunk) {
    const std::uint64_t start = Nanoseconds();
    chunk();
    all.Add(static_cast<double>(Nanoseconds() - start) / kChunk);
    if (done != next) continue;
    all.Sort(std::max(first, all.count / 2));  // the later half
    char name[64];
    std::snprintf(name, sizeof name, "%s-%ld", what, done);
    const int low = std::max(first, all.count / 2);
    Report(file, name, all.values[low], all.values[(low + all.count) / 2]);
    first = all.count;
    next *= 10;
  }
}

int main(int, char** argv) {
  const int threads = std::atoi(argv[2]);
  const long events = std::atol(argv[3]);
  sem_t sleeping;
  sem_t over;
  sem_init(&sleeping, 0, 0);
  sem_init(&over, 0, 0);
  std::vector<std::thread> all;
  for (int i = 1; i < threads; ++i) {
    all.emplace_back([&] {
      sem_post(&sleeping);
      sem_wait(&over);
    });
  }
  for (int i = 1; i < threads; ++i) sem_wait(&sleeping);
  Measure(argv[1], "mutex", LockAndUnlock, events);
  Measure(argv[1], "atomic", Increment, events);
  for (int i = 1; i < threads; ++i) sem_post(&over);
  for (std::thread& thread : all) thread.join();
}
