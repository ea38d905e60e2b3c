// raise runs the handler before it returns, with the signal blocked meanwhile, once if so asked.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

static volatile sig_atomic_t handled;

static void Handle(int number, siginfo_t* info, void* context) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  assert(sigismember(&mask, number) && sigismember(&mask, SIGUSR2));
  assert(info->si_signo == number && context != NULL);
  ++handled;
}

static void* Work(void* unused) {
  struct sigaction action, now;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = Handle;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(SIGUSR1, &action, NULL);
  assert(raise(SIGUSR1) == 0);
  assert(handled == 1);
  sigaction(SIGUSR1, NULL, &now);
  assert(now.sa_handler == SIG_DFL);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Work, NULL);
  pthread_join(thread, NULL);
}
