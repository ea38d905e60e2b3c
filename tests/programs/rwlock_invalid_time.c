// A time that is none is refused, also where nobody would have to wait.
// RUN: heddle run --runs=20 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void* Wait(void* unused) {
  const struct timespec wrong = {0, 1000000000};
  assert(pthread_rwlock_timedrdlock(&lock, &wrong) == EINVAL);
  assert(pthread_rwlock_timedwrlock(&lock, &wrong) == EINVAL);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_join(thread, NULL);
}
