// A periodic timer that nobody has read says how often it has expired.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer;

static void* Read(void* unused) {
  uint64_t times = 0;
  assert(read(timer, &times, sizeof times) == sizeof times && times >= 1);
  return unused;
}

int main(void) {
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const struct itimerspec period = {{0, 10000000}, {0, 10000000}};
  assert(timerfd_settime(timer, 0, &period, NULL) == 0);
  usleep(55000);
  struct itimerspec left;
  assert(timerfd_gettime(timer, &left) == 0 && left.it_value.tv_nsec <= 10000000);
  uint64_t times = 0;
  assert(read(timer, &times, sizeof times) == sizeof times && times >= 5);
  pthread_t thread;
  pthread_create(&thread, NULL, Read, NULL);
  pthread_join(thread, NULL);
}
