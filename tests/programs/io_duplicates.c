// Another number for a descriptor is the same thing: what waits for it inside the program waits for
// nobody outside, and a number that is given to something else is closed.
// RUN: heddle run --strategy=dfs
// EXPECT: clean, complete
// RUN: heddle run --runs=100 -- never
// EXPECT: kind=deadlock, any-schedule
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

static int event, again, ends[2];

static void* Read(void* unused) {
  uint64_t count = 0;
  assert(read(again, &count, sizeof count) == sizeof count && count == 1);
  char byte;
  assert(read(ends[0], &byte, 1) == 0);
  return unused;
}

int main(int argc, char** argv) {
  event = eventfd(0, 0);
  again = argc > 1 ? fcntl(event, F_DUPFD, 20) : dup(event);
  assert(pipe(ends) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Read, NULL);
  const uint64_t one = 1;
  if (argc < 2) assert(write(event, &one, sizeof one) == sizeof one);
  const struct iovec nothing = {NULL, 0};
  assert(writev(ends[1], &nothing, 1) == 0);
  // Nobody can write to the pipe any more.
  assert(dup2(ends[0], ends[1]) == ends[1]);
  pthread_join(thread, NULL);
}
