// A try to join a thread that can't have ended fails; later tries succeed in the end.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void* Pass(void* unused) {
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  return unused;
}

int main(void) {
  pthread_mutex_lock(&gate);
  pthread_t thread;
  pthread_create(&thread, NULL, Pass, &gate);
  assert(pthread_tryjoin_np(thread, NULL) == EBUSY);
  pthread_mutex_unlock(&gate);
  void* result = NULL;
  int error;
  while ((error = pthread_tryjoin_np(thread, &result)) == EBUSY) sched_yield();
  assert(error == 0 && result == &gate);
}
