// timer_create: a signal with its value, in intervals; to one thread; and one that is only looked
// at.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
// RUN: heddle run --strategy=dfs --runs=100000 -- interval
// EXPECT: clean, complete, not-native
// RUN: heddle run --strategy=optimal-dpor --runs=10000 -- interval
// EXPECT: clean, not-native
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int times, other_times;
static _Thread_local int is_other;

static void Handle(int number, siginfo_t* info, void* unused) {
  (void)unused;
  assert(number == SIGRTMIN && info->si_code == SI_TIMER && info->si_value.sival_int == 42);
  ++*(is_other ? &other_times : &times);
}

static timer_t Make(int notify, pid_t thread) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = notify;
  event.sigev_signo = SIGRTMIN;
  event.sigev_value.sival_int = 42;
  event._sigev_un._tid = thread;
  timer_t timer;
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  return timer;
}

static const struct itimerspec kOften = {{0, 1000000}, {0, 2000000}};
static const struct itimerspec kOnce = {{0, 0}, {0, 1000000}};
static const struct itimerspec kNever;

static void* WaitForOne(void* unused) {
  is_other = 1;
  timer_t timer = Make(SIGEV_THREAD_ID, gettid());
  timer_settime(timer, 0, &kOnce, NULL);
  while (other_times == 0) usleep(1000);
  assert(timer_delete(timer) == 0);
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = Handle;
  sigaction(SIGRTMIN, &action, NULL);

  timer_t timer = Make(SIGEV_SIGNAL, 0);
  timer_settime(timer, 0, &kOften, NULL);
  while (times < 3) pause();
  struct itimerspec old;
  assert(timer_settime(timer, 0, &kNever, &old) == 0 && old.it_interval.tv_nsec == 1000000);
  assert(timer_gettime(timer, &old) == 0 && old.it_value.tv_nsec == 0);
  assert(timer_getoverrun(timer) >= 0 && timer_delete(timer) == 0);
  if (argc > 1) return 0;

  pthread_t thread;
  pthread_create(&thread, NULL, WaitForOne, NULL);
  pthread_join(thread, NULL);
  assert(other_times == 1);

  timer = Make(SIGEV_NONE, 0);
  timer_settime(timer, 0, &kOnce, NULL);
  do {
    usleep(500);
    assert(timer_gettime(timer, &old) == 0);
  } while (old.it_value.tv_nsec != 0);
  assert(timer_delete(timer) == 0);
  assert(timer_create(12345, NULL, &timer) == -1 && errno == EINVAL);
}
