// A signal that a thread blocks waits until it no longer does; every thread has its own mask.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t handled;

static void Handle(int number) {
  (void)number;
  ++handled;
}

static void* Work(void* unused) {
  sigset_t set, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
  pthread_kill(pthread_self(), SIGUSR1);
  pthread_kill(pthread_self(), SIGUSR1);
  assert(handled == 0);
  assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1));
  assert(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
  assert(handled == 1);  // an ordinary signal is remembered once
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = Handle};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, Work, NULL);
  pthread_join(thread, NULL);
  sigset_t mine;
  pthread_sigmask(SIG_BLOCK, NULL, &mine);
  assert(!sigismember(&mine, SIGUSR1));
}
