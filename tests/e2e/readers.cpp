// Readers and writers of one lock, in numbers of classes that are known by hand:
//
//   readers LOCK WRITERS READERS [late] [nested]
//
// LOCK is pthread, writers-first (the same, writers preferred) or std (std::shared_mutex). late:
// writers are created last and do something else first, so that readers have their turn before
// them. nested: readers take a mutex inside.
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

namespace {

pthread_rwlock_t plain = PTHREAD_RWLOCK_INITIALIZER;
std::shared_mutex standard;
std::mutex inner;
bool is_plain = false, is_late = false, is_nested = false;
std::atomic<int> own[8];

void Write(int number) {
  if (is_late) own[number].store(1, std::memory_order_relaxed);
  is_plain ? static_cast<void>(pthread_rwlock_wrlock(&plain)) : standard.lock();
  is_plain ? static_cast<void>(pthread_rwlock_unlock(&plain)) : standard.unlock();
}

void Read() {
  is_plain ? static_cast<void>(pthread_rwlock_rdlock(&plain)) : standard.lock_shared();
  if (is_nested) {
    inner.lock();
    inner.unlock();
  }
  is_plain ? static_cast<void>(pthread_rwlock_unlock(&plain)) : standard.unlock_shared();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  is_plain = argv[1] != std::string("std");
  if (argv[1] == std::string("writers-first")) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&plain, &attributes);
  }
  const int writers = std::atoi(argv[2]), readers = std::atoi(argv[3]);
  for (int i = 4; i < argc; ++i) {
    is_late = is_late || argv[i] == std::string("late");
    is_nested = is_nested || argv[i] == std::string("nested");
  }
  std::deque<std::thread> threads;
  const auto write = [&] {
    for (int i = 0; i < writers; ++i) threads.emplace_back(Write, i);
  };
  if (!is_late) write();
  for (int i = 0; i < readers; ++i) threads.emplace_back(Read);
  if (is_late) write();
  for (std::thread& thread : threads) thread.join();
}
