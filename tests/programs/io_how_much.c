// How much there is to read depends on what others have written by then.
// RUN: heddle run --strategy=dfs
// EXPECT: clean, complete
// RUN: heddle run --strategy=dfs -- at-once
// EXPECT: kind=assertion
#include <assert.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int ends[2];

static void* Write(void* unused) {
  assert(write(ends[1], "ab", 2) == 2);
  assert(write(ends[1], "c", 1) == 1);
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  assert(pipe(ends) == 0);
  pthread_t writer;
  assert(pthread_create(&writer, NULL, Write, NULL) == 0);
  int waiting = -1;
  assert(ioctl(ends[0], FIONREAD, &waiting) == 0);
  assert(waiting == 0 || waiting == 2 || waiting == 3);
  if (argc > 1) assert(waiting != 2);
  assert(pthread_join(writer, NULL) == 0);
  assert(ioctl(ends[0], FIONREAD, &waiting) == 0 && waiting == 3);
}
