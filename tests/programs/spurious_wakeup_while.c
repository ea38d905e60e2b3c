// A wait in a loop does not mind waking up for nothing, timed or not; a dead end stays one.
// RUN: heddle run --strategy=dfs --spurious-wakeups
// EXPECT: clean, complete
// RUN: heddle run --strategy=dfs --spurious-wakeups -- forever
// EXPECT: kind=deadlock, any-schedule
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready = 0;

static void* Make(void* unused) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(int count, char** arguments) {
  (void)arguments;
  pthread_t thread;
  pthread_create(&thread, NULL, Make, NULL);
  pthread_mutex_lock(&lock);
  while (!ready || count > 1) pthread_cond_wait(&changed, &lock);
  assert(ready);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
}
