// A barrier is used again: a fast thread can't get into the next round before all have left.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int round_of[2];

static void* Walk(void* which) {
  const long me = (long)which;
  for (int i = 1; i <= 3; ++i) {
    round_of[me] = i;
    pthread_barrier_wait(&barrier);
    assert(round_of[1 - me] == i);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Walk, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
