// A thread that reads a signalfd takes the signals that are pending for it and for the process, as
// many as fit; what was sent where is told of each.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
// RUN: heddle run --strategy=dfs --runs=20000
// EXPECT: clean, complete
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int signals;

static void* Wait(void* unused) {
  struct signalfd_siginfo info[4];
  int seen = 0;
  while (seen != 7) {
    const ssize_t size = read(signals, info, sizeof info);
    assert(size > 0 && size % sizeof info[0] == 0);
    for (int i = 0; i < (int)(size / sizeof info[0]); ++i) {
      assert(info[i].ssi_pid == (uint32_t)getpid());
      if (info[i].ssi_signo == SIGUSR1) {
        assert(info[i].ssi_code == SI_USER);
        seen |= 1;
      } else if (info[i].ssi_signo == SIGUSR2) {
        assert(info[i].ssi_code == SI_TKILL);
        seen |= 2;
      } else {
        assert((int)info[i].ssi_signo == SIGRTMIN && info[i].ssi_code == SI_QUEUE);
        assert(info[i].ssi_int == 42);
        seen |= 4;
      }
    }
  }
  return unused;
}

static void TakeAlone(void) {
  struct signalfd_siginfo info[3];
  memset(info, 0, sizeof info);
  raise(SIGUSR2);
  kill(getpid(), SIGUSR1);
  kill(getpid(), SIGUSR1);  // is pending already
  assert(read(signals, info, sizeof info[0] - 1) == -1 && errno == EINVAL);
  assert(read(signals, info, sizeof info) == 2 * sizeof info[0]);
  // The thread's own come first.
  assert(info[0].ssi_signo == SIGUSR2 && info[1].ssi_signo == SIGUSR1);
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  sigaddset(&set, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  signals = signalfd(-1, &set, SFD_CLOEXEC);
  assert(signals >= 0);
  TakeAlone();
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  kill(getpid(), SIGUSR1);
  pthread_kill(thread, SIGUSR2);
  sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 42});
  pthread_join(thread, NULL);
  close(signals);
}
