// A wait that is not in a loop: wrong only because a wait may end for nothing.
// RUN: heddle run --strategy=dfs
// EXPECT: clean, complete
// RUN: heddle run --strategy=dfs --spurious-wakeups
// EXPECT: kind=assertion
// RUN: heddle run --strategy=random --spurious-wakeups
// EXPECT: kind=assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready = 0;

static void* Make(void* unused) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Make, NULL);
  pthread_mutex_lock(&lock);
  if (!ready) pthread_cond_wait(&changed, &lock);
  assert(ready);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
}
