// A signal that another thread sends arrives before a change of the mask or after it, whatever else
// the thread did in between.
// RUN: heddle run --strategy=dfs --points=sync
// EXPECT: clean, complete
// RUN: heddle run --strategy=dfs --points=sync -- before
// EXPECT: kind=assertion
// RUN: heddle run --strategy=dfs --points=sync -- after
// EXPECT: kind=assertion
// RUN: heddle run --strategy=dpor --points=sync -- before
// EXPECT: kind=assertion
// RUN: heddle run --strategy=optimal-dpor --points=sync -- after
// EXPECT: kind=assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>

static sem_t done;
static volatile sig_atomic_t handled;
static int done_when_handled, handled_when_masked;

static void Handle(int number) {
  (void)number;
  handled = 1;
  sem_getvalue(&done, &done_when_handled);
}

static void* Work(void* unused) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sem_post(&done);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  handled_when_masked = handled;
  sem_post(&done);
  assert(handled == handled_when_masked);  // not while it is blocked
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  return unused;
}

int main(int argc, char** argv) {
  const char* const claim = argc > 1 ? argv[1] : "";
  sem_init(&done, 0, 0);
  struct sigaction action = {.sa_handler = Handle};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, Work, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  // Each says that an outcome is impossible which is not.
  if (strcmp(claim, "before") == 0) assert(!(handled_when_masked && done_when_handled == 1));
  if (strcmp(claim, "after") == 0) assert(!(!handled_when_masked && done_when_handled == 2));
}
