// poll and its relatives fail with EINTR after any handler, SA_RESTART or not; a mask that lets
// through what has come does so at once.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
// RUN: heddle run --runs=1000 -- restarts
// EXPECT: kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[2];
static pthread_t waiter;

static void Handle(int signal) { (void)signal; }

static void* Interrupt(void* unused) {
  pthread_kill(waiter, SIGUSR1);
  assert(write(ends[1], "x", 1) == 1);
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  assert(pipe(ends) == 0);
  struct sigaction action = {.sa_handler = Handle, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  waiter = pthread_self();
  pthread_t thread;
  pthread_create(&thread, NULL, Interrupt, NULL);
  struct pollfd one = {ends[0], POLLIN, 0};
  const int ready = poll(&one, 1, -1);
  assert(ready == 1 || (ready == -1 && errno == EINTR && argc == 1));
  char byte;
  assert(read(ends[0], &byte, 1) == 1);
  pthread_join(thread, NULL);

  sigset_t set, none;
  sigemptyset(&none);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_kill(waiter, SIGUSR1);
  assert(ppoll(&one, 1, NULL, &none) == -1 && errno == EINTR);
  pthread_kill(waiter, SIGUSR1);
  assert(pselect(0, NULL, NULL, NULL, NULL, &none) == -1 && errno == EINTR);

  struct timeval negative = {-1, 0};
  assert(select(0, NULL, NULL, NULL, &negative) == -1 && errno == EINVAL);
  const struct timespec wrong = {0, 2000000000};
  assert(ppoll(NULL, 0, &wrong, NULL) == -1 && errno == EINVAL);
  assert(pselect(0, NULL, NULL, NULL, &wrong, NULL) == -1 && errno == EINVAL);
}
