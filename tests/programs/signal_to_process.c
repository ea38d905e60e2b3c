// A signal to the process goes to any thread that does not block it, and to one.
// RUN: heddle run --strategy=dfs --runs=100000
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=10000 -- main
// EXPECT: kind=assertion, any-schedule
// RUN: heddle run --strategy=optimal-dpor --runs=10000 -- other
// EXPECT: kind=assertion
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static _Thread_local int self;
static atomic_int taker, times;

static void Handle(int signal) {
  (void)signal;
  taker = self;
  ++times;
}

static void* Send(void* unused) {
  self = 2;
  assert(kill(getpid(), SIGUSR1) == 0);
  return unused;
}

int main(int argc, char** argv) {
  self = 1;
  signal(SIGUSR1, Handle);
  pthread_t thread;
  pthread_create(&thread, NULL, Send, NULL);
  pthread_join(thread, NULL);
  assert(times == 1);
  if (argc > 1) assert(taker != (strcmp(argv[1], "main") == 0 ? 1 : 2));
}
