// Two C11 mutexes in opposite orders.
// RUN: heddle run --runs=500
// EXPECT: kind=deadlock
#include <threads.h>

static mtx_t locks[2];

static int Both(void* which) {
  const int first = *(int*)which;
  mtx_lock(&locks[first]);
  mtx_lock(&locks[1 - first]);
  mtx_unlock(&locks[1 - first]);
  mtx_unlock(&locks[first]);
  return 0;
}

int main(void) {
  int which[2] = {0, 1};
  thrd_t threads[2];
  for (int i = 0; i < 2; ++i) mtx_init(&locks[i], mtx_plain);
  for (int i = 0; i < 2; ++i) thrd_create(&threads[i], Both, &which[i]);
  for (int i = 0; i < 2; ++i) thrd_join(threads[i], NULL);
}
