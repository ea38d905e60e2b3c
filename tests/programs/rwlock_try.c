// A try on a read-write lock never blocks: a reader lets readers in, a writer nobody.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void* WhileRead(void* unused) {
  assert(pthread_rwlock_tryrdlock(&lock) == 0);
  assert(pthread_rwlock_unlock(&lock) == 0);
  assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
  return unused;
}

static void* WhileWritten(void* unused) {
  assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
  assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
  return unused;
}

int main(void) {
  pthread_t thread;
  assert(pthread_rwlock_tryrdlock(&lock) == 0);
  pthread_create(&thread, NULL, WhileRead, NULL);
  pthread_join(thread, NULL);
  pthread_rwlock_unlock(&lock);
  assert(pthread_rwlock_trywrlock(&lock) == 0);
  pthread_create(&thread, NULL, WhileWritten, NULL);
  pthread_join(thread, NULL);
  pthread_rwlock_unlock(&lock);
}
