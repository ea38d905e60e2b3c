// A thread that spins on a flag that its handler sets is reached by the signal.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int handled;

static void Handle(int number) {
  (void)number;
  atomic_store(&handled, 1);
}

static void* Spin(void* unused) {
  while (!atomic_load(&handled)) {
  }
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = Handle};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, Spin, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
}
