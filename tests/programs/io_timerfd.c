// A timer of timerfd fires in virtual time: an hour takes no time, and shows on the clock.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean, not-native
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static void* Wait(void* unused) {
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const struct itimerspec hour = {.it_value = {3600, 0}};
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  assert(timerfd_settime(timer, 0, &hour, NULL) == 0);
  struct itimerspec left;
  assert(timerfd_gettime(timer, &left) == 0 && left.it_value.tv_sec >= 3599);
  uint64_t times = 0;
  assert(read(timer, &times, sizeof times) == sizeof times && times == 1);
  clock_gettime(CLOCK_MONOTONIC, &after);
  assert(after.tv_sec - before.tv_sec >= 3600);
  close(timer);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Wait, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
