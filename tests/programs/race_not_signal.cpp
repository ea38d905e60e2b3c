// A signal handler comes after whatever its sender did before.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <cassert>

static int data = 0;
static volatile sig_atomic_t was_handled = 0;  // of the thread that handles it

static void Handle(int) {
  assert(data == 1);
  was_handled = 1;
}

static void* Wait(void*) {
  while (was_handled == 0) sched_yield();
  return nullptr;
}

int main() {
  signal(SIGUSR1, Handle);
  pthread_t thread;
  pthread_create(&thread, nullptr, Wait, nullptr);
  data = 1;
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, nullptr);
}
