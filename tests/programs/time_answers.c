// Clocks and sleeps answer as Linux does: what is refused, what is left alone; processor time is
// virtual, too.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>

static void* Run(void* unused) {
  const struct timespec moment = {0, 1000000}, wrong = {0, 1000000000};
  struct timespec rest = {77, 77};
  assert(nanosleep(&moment, &rest) == 0 && rest.tv_sec == 77 && rest.tv_nsec == 77);
  assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, &rest) == 0 && rest.tv_sec == 77);
  assert(thrd_sleep(&wrong, NULL) < -1);
  assert(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &moment, NULL) == EINVAL);
  assert(clock_nanosleep(1234, 0, &moment, NULL) == EINVAL);
  assert(clock_gettime(1234, &rest) == -1 && errno == EINVAL);
  clockid_t own;
  assert(pthread_getcpuclockid(pthread_self(), &own) == 0 && clock_gettime(own, &rest) == 0);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Run, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  const clock_t begin = clock();
  while (clock() - begin < CLOCKS_PER_SEC / 1000) {
  }
  struct tms spent;
  assert(times(&spent) != (clock_t)-1);
}
