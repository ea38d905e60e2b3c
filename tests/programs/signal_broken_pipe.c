// SIGPIPE is for the thread that writes: its handler has run when the call returns; blocked, it
// waits for that thread alone.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

static _Thread_local int handled;

static void Handle(int signal) {
  (void)signal;
  ++handled;
}

static int EndOfBrokenPipe(void) {
  int ends[2];
  assert(pipe(ends) == 0);
  close(ends[0]);
  return ends[1];
}

static void* Handles(void* unused) {
  const int end = EndOfBrokenPipe();
  assert(write(end, "x", 1) == -1 && errno == EPIPE && handled == 1);
  close(end);
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  close(ends[0]);
  assert(send(ends[1], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE && handled == 1);
  assert(send(ends[1], "x", 1, 0) == -1 && errno == EPIPE && handled == 2);
  close(ends[1]);
  return unused;
}

static void* Blocks(void* unused) {
  sigset_t set, before, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  const int end = EndOfBrokenPipe();
  assert(write(end, "x", 1) == -1 && errno == EPIPE && handled == 0);
  assert(sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1);
  const struct timespec now = {0, 0};
  assert(sigtimedwait(&set, NULL, &now) == SIGPIPE);
  assert(sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 0);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  assert(handled == 0);
  close(end);
  return unused;
}

int main(void) {
  signal(SIGPIPE, Handle);
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, Handles, NULL);
  pthread_create(&threads[1], NULL, Blocks, NULL);
  pthread_create(&threads[2], NULL, Handles, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  Blocks(NULL);
  signal(SIGPIPE, SIG_IGN);
  assert(write(EndOfBrokenPipe(), "x", 1) == -1 && errno == EPIPE && handled == 0);
}
