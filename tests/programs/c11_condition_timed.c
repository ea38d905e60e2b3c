// A timed wait on a C11 condition variable ends with the time, holding the mutex.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t never;

static int Wait(void* unused) {
  (void)unused;
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  mtx_lock(&lock);
  assert(cnd_timedwait(&never, &lock, &now) == thrd_timedout);
  mtx_unlock(&lock);
  return 0;
}

int main(void) {
  mtx_init(&lock, mtx_plain);
  cnd_init(&never);
  thrd_t threads[2];
  for (int i = 0; i < 2; ++i) thrd_create(&threads[i], Wait, NULL);
  for (int i = 0; i < 2; ++i) thrd_join(threads[i], NULL);
}
