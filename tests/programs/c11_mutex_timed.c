// A timed C11 mutex gives up with the time.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;

static int Wait(void* unused) {
  (void)unused;
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  assert(mtx_timedlock(&lock, &now) == thrd_timedout);
  return 0;
}

int main(void) {
  mtx_init(&lock, mtx_timed);
  mtx_lock(&lock);
  thrd_t thread;
  thrd_create(&thread, Wait, NULL);
  thrd_join(thread, NULL);
  mtx_unlock(&lock);
}
