// A reader that wants to write waits for itself.
// RUN: heddle run --runs=50
// EXPECT: kind=deadlock, any-schedule
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void* Upgrade(void* unused) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_wrlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Upgrade, NULL);
  pthread_join(thread, NULL);
}
