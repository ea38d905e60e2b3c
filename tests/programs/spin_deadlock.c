// Two spin locks in opposite orders: a deadlock like any other.
// RUN: heddle run --runs=500
// EXPECT: kind=deadlock, output~spinlock
#include <pthread.h>

static pthread_spinlock_t locks[2];

static void* Both(void* which) {
  const long first = (long)which;
  pthread_spin_lock(&locks[first]);
  pthread_spin_lock(&locks[1 - first]);
  pthread_spin_unlock(&locks[1 - first]);
  pthread_spin_unlock(&locks[first]);
  return NULL;
}

int main(void) {
  for (int i = 0; i < 2; ++i) pthread_spin_init(&locks[i], PTHREAD_PROCESS_PRIVATE);
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Both, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
