// A thread frees what another gives to write, or lets read fill; joining first is right.
// RUN: heddle run --runs=100 -- write
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --runs=100 -- read
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --runs=100 -- write join
// EXPECT: clean
// RUN: heddle run --runs=100 -- read join
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int pipes[2];
static int reads;

static void* Use(void* text) {
  if (reads) {
    assert(read(pipes[0], text, 5) == 5);
  } else {
    assert(write(pipes[1], text, 5) == 5);
  }
  return NULL;
}

int main(int count, char** words) {
  assert(count > 1 && pipe(pipes) == 0);
  reads = strcmp(words[1], "read") == 0;
  assert(!reads || write(pipes[1], "hello", 5) == 5);
  char* const text = malloc(16);
  memset(text, 'x', 16);
  pthread_t other;
  pthread_create(&other, NULL, Use, text);
  if (count > 2) pthread_join(other, NULL);
  free(text);
  if (count == 2) pthread_join(other, NULL);
}
