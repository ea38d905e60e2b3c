// A wait takes its robust mutex again after its owner ended, and says so.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_changed;

static void* SignalAndEnd(void* unused) {
  assert(pthread_mutex_lock(&lock) == 0);
  is_changed = 1;
  pthread_cond_signal(&changed);
  return unused;
}

int main(void) {
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &robust);
  assert(pthread_mutex_lock(&lock) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, SignalAndEnd, NULL);
  int error = 0;
  while (!is_changed && error == 0) error = pthread_cond_wait(&changed, &lock);
  assert(error == EOWNERDEAD);
  pthread_mutex_consistent(&lock);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
}
