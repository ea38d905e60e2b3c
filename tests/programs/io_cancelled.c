// A thread that is cancelled while it reads ends; one that gets a signal is interrupted.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void* Read(void* unused) {
  char byte;
  if (read(ends[0], &byte, 1) == 1) return NULL;
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Read, NULL);
  pthread_cancel(thread);
  void* result = NULL;
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
}
