// A thread begins with the signal mask of its attributes, if they have one.
// RUN: heddle run --runs=20 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void* Check(void* unused) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  assert(sigismember(&mask, SIGUSR1) == 1 && sigismember(&mask, SIGUSR2) == 0);
  return unused;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  sigset_t mask;
  sigfillset(&mask);
  sigdelset(&mask, SIGUSR2);
  pthread_attr_setsigmask_np(&attributes, &mask);
  pthread_t thread;
  assert(pthread_create(&thread, &attributes, Check, NULL) == 0);
  pthread_join(thread, NULL);
}
