// What lies beside a futex in its word has nothing to do with it: waking up is an access to the
// futex alone.
// RUN: heddle run --strategy=optimal-dpor --keep-going
// EXPECT: clean, complete, classes=10, runs=10
// RUN: heddle run --strategy=dfs --keep-going
// EXPECT: clean, complete, classes=10
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
  _Alignas(8) atomic_int futex;
  atomic_int beside;
} word;

static void* Waits(void* nothing) {
  const struct timespec a_while = {0, 1000000};
  syscall(SYS_futex, &word.futex, FUTEX_WAIT, 0, &a_while, 0, 0);
  return nothing;
}

static void* Wakes(void* nothing) {
  atomic_store(&word.beside, 1);
  atomic_store(&word.futex, 1);
  syscall(SYS_futex, &word.futex, FUTEX_WAKE, 1, 0, 0, 0);
  return nothing;
}

static void* Looks(void* nothing) {
  atomic_load(&word.beside);
  return nothing;
}

int main() {
  void* (*const bodies[])(void*) = {Waits, Wakes, Looks};
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, bodies[i], 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return 0;
}
