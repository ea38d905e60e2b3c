// Two threads die with a robust mutex that main takes, too: whoever is first, all of its orders are searched.
// RUN: heddle run --strategy=dfs --runs=2000
// EXPECT: clean, complete, classes=15
// RUN: heddle run --strategy=optimal-dpor --runs=2000
// EXPECT: clean, complete, runs=15, classes=15
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void* TakeAndDie(void* unused) {
  if (pthread_mutex_trylock(&lock) == EOWNERDEAD) {
    pthread_mutex_consistent(&lock);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &attributes);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, TakeAndDie, NULL);
  if (pthread_mutex_lock(&lock) == EOWNERDEAD) pthread_mutex_consistent(&lock);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
