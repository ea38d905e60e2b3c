// Trying to hold a stream; and holding it twice.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void* Try(void* unused) {
  assert(ftrylockfile(stdout) != 0);
  return unused;
}

int main(void) {
  flockfile(stdout);
  assert(ftrylockfile(stdout) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Try, NULL);
  pthread_join(thread, NULL);
  puts("both mine");
  funlockfile(stdout);
  funlockfile(stdout);
}
