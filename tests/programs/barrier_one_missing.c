// A barrier for three that only two come to holds them for ever.
// RUN: heddle run --runs=50
// EXPECT: kind=deadlock, any-schedule, output~others to arrive at barrier
#include <pthread.h>

static pthread_barrier_t barrier;

static void* Meet(void* unused) {
  pthread_barrier_wait(&barrier);
  return unused;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 3);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Meet, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
