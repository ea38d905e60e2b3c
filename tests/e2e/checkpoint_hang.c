// The first thread goes into a loop that nobody sees, if it comes second: behind a beginning that
// runs have in common.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int own[2], turns, late;

__attribute__((no_sanitize("thread"), noinline)) static void Hang(void) {
  for (volatile int i = 0;; i = i + 1) {
  }
}

static void* Work(void* argument) {
  const int self = argument != 0;
  for (int i = 0; i < 50; ++i) atomic_fetch_add(&own[self], 1);
  const int before = atomic_load(&turns);
  atomic_store(&turns, before + 1);
  if (self == 0 && before == 1 && atomic_load(&late) == 1) Hang();
  atomic_fetch_add(&late, 1);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, Work, 0);
  pthread_create(&threads[1], 0, Work, threads);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return 0;
}
