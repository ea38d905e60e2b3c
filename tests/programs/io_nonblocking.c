// A descriptor that does not block says so, in whatever order the threads run.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static int ends[2];

static void* Write(void* unused) {
  assert(write(ends[1], "x", 1) == 1);
  return unused;
}

int main(void) {
  assert(pipe2(ends, O_NONBLOCK) == 0);
  char byte;
  assert(read(ends[0], &byte, 1) == -1 && errno == EAGAIN);
  pthread_t thread;
  pthread_create(&thread, NULL, Write, NULL);
  while (read(ends[0], &byte, 1) != 1) {
    assert(errno == EAGAIN);
    sched_yield();
  }
  pthread_join(thread, NULL);
}
