// Whether poll sees the write in time depends on the schedule.
// RUN: heddle run --runs=300 -- 0
// EXPECT: kind=assertion
// RUN: heddle run --runs=300 -- 1
// EXPECT: kind=assertion, any-schedule
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];

static void* Write(void* unused) {
  assert(write(ends[1], "x", 1) == 1);
  return unused;
}

int main(int count, char** words) {
  (void)count;
  assert(pipe(ends) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Write, NULL);
  struct pollfd set = {ends[0], POLLIN, 0};
  const int ready = poll(&set, 1, 1000);
  pthread_join(thread, NULL);
  assert(ready != atoi(words[1]));
}
