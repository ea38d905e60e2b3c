// A signal that a thread sends before it ends is handled before whoever it is sent to has joined
// that thread; what the thread does behind it races with the handler.
// RUN: heddle run --strategy=dfs --keep-going
// EXPECT: clean, complete
// RUN: heddle run --runs=60 --keep-going
// EXPECT: clean
// RUN: heddle run --runs=60 --keep-going -- write
// EXPECT: kind=race
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static pthread_t target;
static volatile sig_atomic_t handled;
static int writes, number;

static void Handle(int signal) {
  handled = signal;
  if (writes) number = 1;
}

static void* Send(void* unused) {
  pthread_kill(target, SIGUSR1);
  if (writes) number = 2;
  return unused;
}

int main(int count, char** words) {
  writes = words[0] != NULL && count > 1;
  target = pthread_self();
  struct sigaction action = {.sa_handler = Handle};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t sender;
  pthread_create(&sender, NULL, Send, NULL);
  pthread_join(sender, NULL);
  assert(handled == SIGUSR1);
  assert(!writes || number != 0);
}
