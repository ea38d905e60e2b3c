// A thread that waits for signals gets those sent to it and those sent to the process.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void* Wait(void* set) {
  int seen = 0;
  for (int i = 0; i < 2; ++i) {
    int number = 0;
    assert(sigwait(set, &number) == 0);
    seen |= number == SIGUSR1 ? 1 : 2;
  }
  assert(seen == 3);
  return NULL;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, &set);
  kill(getpid(), SIGUSR1);
  pthread_kill(thread, SIGUSR2);
  pthread_join(thread, NULL);
}
