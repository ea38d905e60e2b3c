// A write into a full pipe waits for room, and writes all of it.
// RUN: heddle run --runs=20 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { kSize = 200000 };
static int ends[2];

static void* Write(void* unused) {
  char* const bytes = calloc(kSize, 1);
  assert(write(ends[1], bytes, kSize) == kSize);
  close(ends[1]);
  free(bytes);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Write, NULL);
  static char bytes[65536];
  long all = 0;
  for (ssize_t got; (got = read(ends[0], bytes, sizeof bytes)) > 0;) all += got;
  assert(all == kSize);
  pthread_join(thread, NULL);
}
