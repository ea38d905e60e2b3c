// Who waits for a thread that a timer starts waits for ever where nobody schedules that: the result
// says so.
// RUN: heddle run --runs=5
// EXPECT: kind=deadlock, any-schedule, uncontrolled=timer_create, output~may wait for a thread that heddle does not schedule (timer_create
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static sem_t expired;

static void Expire(union sigval unused) {
  (void)unused;
  sem_post(&expired);
}
static void* Nothing(void* unused) { return unused; }

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, Nothing, NULL);
  pthread_join(other, NULL);
  sem_init(&expired, 0, 0);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = Expire;
  timer_t timer;
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec soon = {.it_value = {.tv_nsec = 1000}};
  timer_settime(timer, 0, &soon, NULL);
  sem_wait(&expired);
}
