// An hour of sleep takes no time and moves every clock.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean, not-native
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t Now(clockid_t clock) {
  struct timespec now;
  assert(clock_gettime(clock, &now) == 0);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void* Sleep(void* unused) {
  (void)unused;
  const int64_t start = Now(CLOCK_MONOTONIC);
  sleep(3600);
  usleep(1000);
  const struct timespec nap = {.tv_sec = 1, .tv_nsec = 5};
  assert(nanosleep(&nap, NULL) == 0);
  assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL) == 0);
  assert(Now(CLOCK_MONOTONIC) - start >= 3602 * 1000000000LL);
  return NULL;
}

int main(void) {
  const time_t before = time(NULL);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Sleep, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(time(NULL) - before >= 3601);
  struct timeval day;
  gettimeofday(&day, NULL);
  assert(day.tv_sec - before >= 3601);
}
