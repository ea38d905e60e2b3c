// A wait gives a recursive mutex up as often as it was taken, and takes it as often again.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_changed;

static void* Change(void* unused) {
  pthread_mutex_lock(&lock);
  is_changed = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &attributes);
  pthread_t thread;
  pthread_create(&thread, NULL, Change, NULL);
  pthread_mutex_lock(&lock);
  while (!is_changed) pthread_cond_wait(&changed, &lock);
  assert(pthread_mutex_unlock(&lock) == 0);
  assert(pthread_mutex_unlock(&lock) == EPERM);
  pthread_join(thread, NULL);
}
