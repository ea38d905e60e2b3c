// poll, select and epoll find a signalfd ready when a signal is pending that it takes, for the
// thread that asks or for the process; one that does not wait says that there is none.
// RUN: heddle run --runs=100 --keep-going -- poll
// EXPECT: clean
// RUN: heddle run --runs=100 --keep-going -- select
// EXPECT: clean
// RUN: heddle run --runs=100 --keep-going -- epoll
// EXPECT: clean
// RUN: heddle run --runs=100 --keep-going -- edges
// EXPECT: clean
// RUN: heddle run --runs=500 --strategy=optimal-dpor --keep-going -- poll
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int signals;
static const char* call;

static int Ask(int milliseconds, int set) {
  if (strcmp(call, "poll") == 0) {
    struct pollfd one = {signals, POLLIN | POLLOUT, 0};
    const int count = poll(&one, 1, milliseconds);
    assert(count == (one.revents == POLLIN));
    return count;
  }
  if (strcmp(call, "select") == 0) {
    fd_set reads;
    FD_ZERO(&reads);
    FD_SET(signals, &reads);
    struct timeval zero = {0, 0};
    return select(signals + 1, &reads, NULL, NULL, milliseconds == 0 ? &zero : NULL);
  }
  struct epoll_event event;
  return epoll_wait(set, &event, 1, milliseconds);
}

static void* Wait(void* unused) {
  const int set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  if (strcmp(call, "edges") == 0) event.events |= EPOLLET;
  assert(epoll_ctl(set, EPOLL_CTL_ADD, signals, &event) == 0);
  struct signalfd_siginfo info;
  for (int seen = 0; seen < 2;) {
    assert(Ask(-1, set) == 1);
    while (read(signals, &info, sizeof info) == sizeof info) ++seen;
    assert(errno == EAGAIN);
  }
  assert(Ask(0, set) == 0);
  // For another thread there would be nothing in it.
  raise(SIGUSR1);
  assert(Ask(-1, set) == 1);
  assert(read(signals, &info, sizeof info) == sizeof info && info.ssi_code == SI_TKILL);
  close(set);
  return unused;
}

int main(int count, char** words) {
  assert(count == 2);
  call = words[1];
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  signals = signalfd(-1, &set, SFD_NONBLOCK);
  struct pollfd one = {signals, POLLIN, 0};
  assert(poll(&one, 1, 0) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  kill(getpid(), SIGUSR1);
  pthread_kill(thread, SIGUSR2);
  assert(poll(&one, 1, 0) <= 1);
  pthread_join(thread, NULL);
  assert(poll(&one, 1, 0) == 0);
}
