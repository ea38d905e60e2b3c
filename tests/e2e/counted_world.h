// What the programs of counted.cpp share, and the steps that they are made of.
#ifndef HEDDLE_TESTS_E2E_COUNTED_WORLD_H_
#define HEDDLE_TESTS_E2E_COUNTED_WORLD_H_

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace counted {

constexpr auto kRelaxed = std::memory_order_relaxed;
using Bodies = std::vector<std::function<void()>>;
using Word = std::atomic<int>;

constexpr int kInodes = 32, kBlocks = 26, kTable = 128;

// All that the threads share, made anew for every run.
struct World {
  Word x{0}, y{0}, z{0};
  Word cells[64] = {};
  std::mutex locks[64];
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t one = PTHREAD_COND_INITIALIZER, other = PTHREAD_COND_INITIALIZER;
  pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
  pthread_barrier_t barrier;
  pthread_once_t once = PTHREAD_ONCE_INIT;
  sem_t semaphore, full;
  int pipes[4][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
  Word head{0}, next_of[8] = {};
  Word table[kTable] = {};
  Word inode[kInodes] = {}, busy[kBlocks] = {};
  std::mutex inode_lock[kInodes], block_lock[kBlocks];

  ~World() {
    for (auto& ends : pipes) {
      for (const int end : ends) {
        if (end >= 0) close(end);
      }
    }
  }
};
inline World* world = nullptr;

inline void Set(Word& word, int value) { word.store(value, kRelaxed); }
inline int Get(const Word& word) { return word.load(kRelaxed); }
inline int Add(Word& word, int value) { return word.fetch_add(value, kRelaxed); }
inline bool Swap(Word& word, int from, int to) {
  return word.compare_exchange_strong(from, to, kRelaxed);
}

inline Bodies Times(int n, const std::function<void(int)>& body) {
  Bodies bodies;
  for (int k = 0; k < n; ++k) bodies.emplace_back([=] { body(k); });
  return bodies;
}

inline Bodies Together(Bodies bodies, const Bodies& more) {
  bodies.insert(bodies.end(), more.begin(), more.end());
  return bodies;
}

inline void Locked(const std::function<void()>& body) {
  pthread_mutex_lock(&world->lock);
  body();
  pthread_mutex_unlock(&world->lock);
}

// Takes from pipe `from` and gives on to pipe `to`; -1: neither.
inline void PassOn(int from, int to, int value) {
  char byte = static_cast<char>(value);
  if (from >= 0 && read(world->pipes[from][0], &byte, 1) != 1) std::abort();
  if (to >= 0 && write(world->pipes[to][1], &byte, 1) != 1) std::abort();
}

// 0 not yet, 1 there, 2 somebody waits.
inline void AwaitResult() {
  for (int seen = Get(world->x); seen != 1; seen = Get(world->x)) {
    if (seen == 0) Swap(world->x, 0, 2);
    if (Get(world->x) == 1) return;
    syscall(SYS_futex, &world->x, FUTEX_WAIT, 2, nullptr, nullptr, 0);
  }
}

inline void SetResult() {
  if (world->x.exchange(1) == 2) syscall(SYS_futex, &world->x, FUTEX_WAKE, 64, nullptr, nullptr, 0);
}

inline void OpenPipe(int which, int flags = 0) {
  if (pipe2(world->pipes[which], flags) != 0) std::abort();
}

// A byte that fills a page, in a pipe of one.
constexpr int kPage = 4096;
inline void WritePage() {
  const std::vector<char> page(kPage);
  if (write(world->pipes[0][1], page.data(), kPage) != kPage) std::abort();
}
inline void ReadPage() {
  std::vector<char> page(kPage);
  if (read(world->pipes[0][0], page.data(), kPage) != kPage) std::abort();
}

// Counters, in the place of a pipe's reading end.
inline void OpenEvent(int flags) {
  world->pipes[0][0] = eventfd(0, flags);
  if (world->pipes[0][0] < 0) std::abort();
}
inline void AddToEvent(int) {
  if (eventfd_write(world->pipes[0][0], 1) != 0) std::abort();
}
inline void TakeFromEvent() {
  eventfd_t value = 0;
  if (eventfd_read(world->pipes[0][0], &value) != 0) std::abort();
}

// Each end sends first.
inline void Exchange(int end, int n) {
  const int socket = world->pipes[0][end];
  char byte = 0;
  for (int k = 0; k < n; ++k) {
    if (write(socket, &byte, 1) != 1) std::abort();
  }
  for (int k = 0; k < n; ++k) {
    if (read(socket, &byte, 1) != 1) std::abort();
  }
}

// Long after everything; the clock is virtual.
inline timespec Late() { return {4'000'000'000, 0}; }

// Flanagan and Godefroid's hash table: every thread puts four messages of its own.
inline void Indexer(int thread) {
  for (int m = 0; m < 4; ++m) {
    const int message = (m + 1) * 11 + thread;
    int at = message * 7 % kTable;
    while (!Swap(world->table[at], 0, message)) at = (at + 1) % kTable;
  }
}

// Theirs, too: 32 inodes, 26 blocks, each with a lock.

inline void FileSystem(int thread) {
  const int i = thread % kInodes;
  const std::scoped_lock of_inode(world->inode_lock[i]);
  if (Get(world->inode[i]) != 0) return;
  for (int b = i * 2 % kBlocks;; b = (b + 1) % kBlocks) {
    const std::scoped_lock of_block(world->block_lock[b]);
    if (Get(world->busy[b]) != 0) continue;
    Set(world->busy[b], 1);
    Set(world->inode[i], b + 1);
    return;
  }
}

inline void LastZero(int thread, int n) {
  if (thread > 0) return Set(world->cells[thread], Get(world->cells[thread - 1]) + 1);
  for (int i = n; Get(world->cells[i]) != 0;) --i;
}

inline void CasIncrement() {
  int seen = Get(world->x);
  while (!world->x.compare_exchange_strong(seen, seen + 1, kRelaxed)) {
  }
}

inline void WaitUntil(Word& flag, pthread_cond_t& condition) {
  Locked([&] {
    while (Get(flag) == 0) pthread_cond_wait(&condition, &world->lock);
  });
}

// A buffer of one slot, with one condition for each side.
inline void Put() {
  Locked([] {
    while (Get(world->x) == 1) pthread_cond_wait(&world->one, &world->lock);
    Set(world->x, 1);
    pthread_cond_signal(&world->other);
  });
}
inline void Take() {
  Locked([] {
    while (Get(world->x) == 0) pthread_cond_wait(&world->other, &world->lock);
    Set(world->x, 0);
    pthread_cond_signal(&world->one);
  });
}

inline void Push(int node) {
  int old = Get(world->head);
  do {
    Set(world->next_of[node], old);
  } while (!world->head.compare_exchange_strong(old, node, kRelaxed));
}

inline void TreeOf(int depth) {
  if (depth > 0) {
    std::thread left(TreeOf, depth - 1), right(TreeOf, depth - 1);
    Add(world->x, 1);
    right.join();
    left.join();
  } else {
    Get(world->x);
  }
}

}  // namespace counted

#endif  // HEDDLE_TESTS_E2E_COUNTED_WORLD_H_
