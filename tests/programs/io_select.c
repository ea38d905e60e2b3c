// select waits for reading and writing, and for the time, of which it tells what is left.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[2];

static void* Write(void* unused) {
  assert(write(ends[1], "x", 1) == 1);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  fd_set reads, writes;
  FD_ZERO(&reads);
  FD_SET(ends[0], &reads);
  struct timeval moment = {0, 1000};
  assert(select(ends[0] + 1, &reads, NULL, NULL, &moment) == 0);
  assert(!FD_ISSET(ends[0], &reads) && moment.tv_sec == 0 && moment.tv_usec == 0);
  FD_ZERO(&writes);
  FD_SET(ends[1], &writes);
  assert(select(ends[1] + 1, NULL, &writes, NULL, NULL) == 1);
  pthread_t thread;
  pthread_create(&thread, NULL, Write, NULL);
  FD_SET(ends[0], &reads);
  const struct timespec far = {1000, 0};
  const int ready = pselect(ends[0] + 1, &reads, NULL, NULL, &far, NULL);
  assert(ready == 1 || ready == 0);
  pthread_join(thread, NULL);
}
