// thrd_sleep takes as long as it says by every clock, and no real time.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <threads.h>
#include <time.h>

static int Sleep(void* unused) {
  (void)unused;
  struct timespec before, after;
  timespec_get(&before, TIME_UTC);
  const struct timespec a_moment = {0, 2000000};
  assert(thrd_sleep(&a_moment, NULL) == 0);
  timespec_get(&after, TIME_UTC);
  assert((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >= 2000000);
  return 0;
}

int main(void) {
  thrd_t threads[2];
  for (int i = 0; i < 2; ++i) thrd_create(&threads[i], Sleep, NULL);
  for (int i = 0; i < 2; ++i) thrd_join(threads[i], NULL);
}
