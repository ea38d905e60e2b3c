// Waiting for a signal with a time: it comes with what was sent along, or the time ends first.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

static sigset_t set;

static void* Wait(void* unused) {
  const struct timespec no_time = {0, 0}, long_time = {1000, 0};
  assert(sigtimedwait(&set, NULL, &no_time) == -1 && errno == EAGAIN);
  const union sigval value = {.sival_int = 42};
  assert(pthread_sigqueue(pthread_self(), SIGRTMIN, value) == 0);
  siginfo_t info;
  assert(sigtimedwait(&set, &info, &long_time) == SIGRTMIN);
  assert(info.si_value.sival_int == 42);
  return unused;
}

int main(void) {
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_join(thread, NULL);
}
