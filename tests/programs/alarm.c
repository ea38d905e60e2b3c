// alarm and setitimer: a handler that runs, a signal that is waited for, what was left of the time.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
// RUN: heddle run --strategy=dfs --runs=100000 -- once
// EXPECT: clean, complete, not-native
// RUN: heddle run --strategy=optimal-dpor --runs=1000 -- early
// EXPECT: kind=assertion, not-native
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t rung;

static void Ring(int number) {
  (void)number;
  ++rung;
}

static void* CountThree(void* unused) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  for (int i = 0; i < 3; ++i) {
    int number = 0;
    assert(sigwait(&set, &number) == 0 && number == SIGALRM);
  }
  return unused;
}

int main(int argc, char** argv) {
  signal(SIGALRM, Ring);
  if (argc > 1 && strcmp(argv[1], "early") == 0) {
    alarm(1);
    usleep(1000);
    assert(rung == 0);  // by then a second may have passed
    return 0;
  }
  // The signal ends a wait.
  assert(alarm(1) == 0);
  while (rung == 0) assert(pause() == -1 && errno == EINTR);
  assert(rung == 1);
  if (argc > 1) return 0;

  // One that is taken back does not come.
  alarm(100);
  struct itimerval value;
  getitimer(ITIMER_REAL, &value);
  const unsigned left = alarm(0);
  if (rung == 1) {
    assert(value.it_value.tv_sec > 0 && value.it_value.tv_sec <= 100 && left > 0 && left <= 100);
  } else {
    assert(left == 0);  // it came before
  }
  const int before = rung;
  usleep(1000);
  assert(rung == before && alarm(0) == 0);

  // Again and again, for whoever waits.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  const struct itimerval often = {{0, 2000}, {0, 1000}};
  assert(setitimer(ITIMER_REAL, &often, NULL) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, CountThree, NULL);
  pthread_join(thread, NULL);
  const struct itimerval never = {{0, 0}, {0, 0}};
  struct itimerval old;
  assert(setitimer(ITIMER_REAL, &never, &old) == 0);
  assert(old.it_interval.tv_usec == 2000);
  const struct itimerval wrong = {{0, 0}, {0, 1000000}};
  assert(setitimer(ITIMER_REAL, &wrong, NULL) == -1 && errno == EINVAL);
}
