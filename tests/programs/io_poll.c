// poll waits for one of several descriptors, or for the time.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static int first[2], second[2];

static void* Write(void* unused) {
  assert(write(second[1], "x", 1) == 1);
  return unused;
}

int main(void) {
  assert(pipe(first) == 0 && pipe(second) == 0);
  struct pollfd set[2] = {{first[0], POLLIN, 0}, {second[0], POLLIN, 0}};
  assert(poll(set, 2, 0) == 0);
  assert(poll(set, 2, 5) == 0);
  const struct timespec moment = {0, 1000000};
  assert(ppoll(set, 1, &moment, NULL) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Write, NULL);
  assert(poll(set, 2, -1) == 1);
  assert(set[0].revents == 0 && set[1].revents == POLLIN);
  pthread_join(thread, NULL);
}
