// A sleeper on a futex whose time is up has missed the store as well as the wake-up, or the wake-up
// only.
// RUN: heddle run --strategy=dfs --keep-going
// EXPECT: clean, complete, classes=9
// RUN: heddle run --strategy=optimal-dpor --keep-going
// EXPECT: clean, complete, classes=9
// RUN: heddle run --strategy=dpor --keep-going
// EXPECT: clean, complete, classes=9
// RUN: heddle run --strategy=baseline --keep-going
// EXPECT: clean, complete, classes=9
// RUN: heddle run --strategy=dpor -- early
// EXPECT: kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word;
static long result;
static int seen;

static void* Waits(void* nothing) {
  const struct timespec second = {1, 0};
  result = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &second, 0, 0);
  seen = atomic_load_explicit(&word, memory_order_relaxed);
  return nothing;
}

static void* Wakes(void* nothing) {
  atomic_store_explicit(&word, 1, memory_order_relaxed);
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
  return nothing;
}

int main(int argc, char** argv) {
  (void)argv;
  pthread_t waits, wakes;
  pthread_create(&waits, 0, Waits, 0);
  pthread_create(&wakes, 0, Wakes, 0);
  pthread_join(waits, 0);
  pthread_join(wakes, 0);
  assert(result != 0 || seen == 1);
  assert(argc == 1 || seen == 1);
  return 0;
}
