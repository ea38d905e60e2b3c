// All threads pass a barrier together, and one of them is told that it is the special one.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int arrived, special;

static void* Meet(void* unused) {
  atomic_fetch_add(&arrived, 1);
  const int result = pthread_barrier_wait(&barrier);
  assert(atomic_load(&arrived) == 3);
  assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
  if (result != 0) atomic_fetch_add(&special, 1);
  return unused;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 3);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, Meet, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  assert(atomic_load(&special) == 1);
  assert(pthread_barrier_destroy(&barrier) == 0);
}
