// A wait with an error-checking mutex that one does not hold is refused.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t checked;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void* Wait(void* unused) {
  assert(pthread_cond_wait(&never, &checked) == EPERM);
  return unused;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checked, &attributes);
  pthread_mutex_lock(&checked);
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_unlock(&checked);
}
