// A recursive mutex lets its owner in again whatever the time; an error-checking one says no.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t recursive, checked;

static void Init(pthread_mutex_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutex_init(mutex, &attributes);
}

static void* Lock(void* unused) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  pthread_mutex_lock(&recursive);
  assert(pthread_mutex_timedlock(&recursive, &now) == 0);
  pthread_mutex_unlock(&recursive);
  pthread_mutex_unlock(&recursive);
  assert(pthread_mutex_unlock(&recursive) == EPERM);
  pthread_mutex_lock(&checked);
  assert(pthread_mutex_timedlock(&checked, &now) == EDEADLK);
  pthread_mutex_unlock(&checked);
  return unused;
}

int main(void) {
  Init(&recursive, PTHREAD_MUTEX_RECURSIVE);
  Init(&checked, PTHREAD_MUTEX_ERRORCHECK);
  pthread_t thread;
  pthread_create(&thread, NULL, Lock, NULL);
  pthread_join(thread, NULL);
}
