// A semaphore may be waited for by the monotonic clock, and by no CPU clock.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t semaphore;

static void* Wait(void* unused) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  assert(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &now) == -1 && errno == ETIMEDOUT);
  assert(sem_clockwait(&semaphore, CLOCK_PROCESS_CPUTIME_ID, &now) == -1 && errno == EINVAL);
  return unused;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Wait, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  sem_post(&semaphore);
  struct timespec far;
  clock_gettime(CLOCK_MONOTONIC, &far);
  ++far.tv_sec;
  assert(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &far) == 0);
}
