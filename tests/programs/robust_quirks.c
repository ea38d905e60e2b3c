// What glibc says beyond POSIX: a try names the owner of an error-checking mutex that is robust or
// inherits priority, and an inner unlock of a recursive one that was not mended fails.
// RUN: heddle run --runs=20 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;

static void* LockAndEnd(void* unused) {
  assert(pthread_mutex_lock(&lock) == 0);
  return unused;
}

static void Make(int type, int robust, int protocol) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robust);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  assert(pthread_mutex_init(&lock, &attributes) == 0);
}

static void Abandon(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, LockAndEnd, NULL);
  pthread_join(thread, NULL);
}

static int TryMine(int type, int robust, int protocol) {
  Make(type, robust, protocol);
  assert(pthread_mutex_lock(&lock) == 0);
  const int error = pthread_mutex_trylock(&lock);
  if (error == 0) assert(pthread_mutex_unlock(&lock) == 0);
  assert(pthread_mutex_unlock(&lock) == 0);
  return error;
}

int main(void) {
  const int check = PTHREAD_MUTEX_ERRORCHECK, normal = PTHREAD_MUTEX_NORMAL;
  assert(TryMine(check, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE) == EBUSY);
  assert(TryMine(check, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE) == EDEADLK);
  assert(TryMine(check, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT) == EDEADLK);
  assert(TryMine(normal, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE) == EBUSY);
  assert(TryMine(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE) == 0);

  Make(check, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
  Abandon();
  assert(pthread_mutex_trylock(&lock) == EOWNERDEAD);
  assert(pthread_mutex_trylock(&lock) == EDEADLK);
  assert(pthread_mutex_consistent(&lock) == 0);
  assert(pthread_mutex_unlock(&lock) == 0);

  Make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
  Abandon();
  assert(pthread_mutex_lock(&lock) == EOWNERDEAD);
  assert(pthread_mutex_lock(&lock) == 0);
  assert(pthread_mutex_unlock(&lock) == ENOTRECOVERABLE);
  assert(pthread_mutex_unlock(&lock) == 0);
  assert(pthread_mutex_lock(&lock) == ENOTRECOVERABLE);
}
