// When the last writer closes, whoever reads gets to the end.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void* Close(void* unused) {
  close(ends[1]);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Close, NULL);
  char byte;
  assert(read(ends[0], &byte, 1) == 0);
  pthread_join(thread, NULL);
}
