// A thread that is cancelled in a wait holds the mutex again when its clean-up handlers run.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void Unlock(void* mutex) { assert(pthread_mutex_unlock(mutex) == 0); }

static void* Wait(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(Unlock, &lock);
  for (;;) pthread_cond_wait(&never, &lock);
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_cancel(thread);
  void* result = NULL;
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
  assert(pthread_mutex_trylock(&lock) == 0);
}
