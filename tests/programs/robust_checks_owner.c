// A robust mutex knows its owner: nobody else can unlock it, and only a broken one can be mended.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void* NotMine(void* unused) {
  assert(pthread_mutex_unlock(&lock) == EPERM);
  assert(pthread_mutex_trylock(&lock) == EBUSY);
  return unused;
}

int main(void) {
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &robust);
  assert(pthread_mutex_lock(&lock) == 0);
  assert(pthread_mutex_consistent(&lock) == EINVAL);
  pthread_t thread;
  pthread_create(&thread, NULL, NotMine, NULL);
  pthread_join(thread, NULL);
  assert(pthread_mutex_unlock(&lock) == 0);
}
