// sigsuspend: a signal that came before is not lost, as it is with pause.
// RUN: heddle run --runs=200 --keep-going -- suspend
// EXPECT: clean
// RUN: heddle run --runs=300 -- pause
// EXPECT: kind=deadlock
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static int suspends;

static void Handle(int number) {
  (void)number;
  handled = 1;
}

static void* Wait(void* old) {
  if (suspends) {
    while (!handled) sigsuspend(old);
  } else {
    pthread_sigmask(SIG_SETMASK, old, NULL);
    if (!handled) {
      pthread_testcancel();
      pause();
    }
  }
  return NULL;
}

int main(int count, char** words) {
  suspends = count > 1 && strcmp(words[1], "suspend") == 0;
  struct sigaction action = {.sa_handler = Handle};
  sigaction(SIGUSR1, &action, NULL);
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, &old);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
}
