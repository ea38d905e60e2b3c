// A jump out of a handler takes the mask back to what it was, and leaves the call that was
// interrupted.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static sigjmp_buf back;
static int ends[2];
static pthread_t jumper;

static void Handle(int signal) {
  (void)signal;
  siglongjmp(back, 1);
}

static void CheckMask(void) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  assert(sigismember(&mask, SIGUSR1) == 0);
}

static void* Interrupt(void* unused) {
  pthread_kill(jumper, SIGUSR1);
  assert(write(ends[1], "x", 1) == 1);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  signal(SIGUSR1, Handle);
  for (volatile int i = 0; i < 3; ++i) {
    if (sigsetjmp(back, 1) == 0) {
      raise(SIGUSR1);
      assert(0);
    }
    CheckMask();
  }
  jumper = pthread_self();
  pthread_t thread;
  volatile int jumps = 0;
  char byte;
  if (sigsetjmp(back, 1) == 0) {
    pthread_create(&thread, NULL, Interrupt, NULL);
    for (;;) (void)!read(ends[0], &byte, 1);  // until the handler jumps
  }
  ++jumps;
  CheckMask();
  pthread_join(thread, NULL);
  assert(jumps == 1);
}
