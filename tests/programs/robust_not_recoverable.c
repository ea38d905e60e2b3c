// A robust mutex that is unlocked without having been made consistent is lost for everybody.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void* TakeAndEnd(void* unused) {
  assert(pthread_mutex_lock(&lock) == 0);
  pthread_exit(unused);
}

static void* TooLate(void* unused) {
  assert(pthread_mutex_lock(&lock) == ENOTRECOVERABLE);
  assert(pthread_mutex_trylock(&lock) == ENOTRECOVERABLE);
  return unused;
}

int main(void) {
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &robust);
  pthread_t thread;
  pthread_create(&thread, NULL, TakeAndEnd, NULL);
  pthread_join(thread, NULL);
  assert(pthread_mutex_lock(&lock) == EOWNERDEAD);
  assert(pthread_mutex_unlock(&lock) == 0);
  pthread_create(&thread, NULL, TooLate, NULL);
  pthread_join(thread, NULL);
}
