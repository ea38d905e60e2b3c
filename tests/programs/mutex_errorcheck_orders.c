// Who gives back what it does not hold only fails: before, while or after another thread holds it.
// RUN: heddle run --strategy=dfs --keep-going
// EXPECT: clean, complete, classes=3
// RUN: heddle run --strategy=optimal-dpor --keep-going
// EXPECT: clean, complete, classes=3
// RUN: heddle run --strategy=dpor --keep-going
// EXPECT: clean, complete, classes=3
// RUN: heddle run --strategy=baseline --keep-going
// EXPECT: clean, complete, classes=3
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void* Locks(void* nothing) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return nothing;
}

static void* Unlocks(void* nothing) {
  assert(pthread_mutex_unlock(&mutex) == EPERM);
  return nothing;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &attributes);
  pthread_t locks, unlocks;
  pthread_create(&locks, 0, Locks, 0);
  pthread_create(&unlocks, 0, Unlocks, 0);
  pthread_join(locks, 0);
  pthread_join(unlocks, 0);
  return 0;
}
