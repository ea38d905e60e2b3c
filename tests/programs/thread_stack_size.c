// A thread has at least the stack that its attributes ask for.
// RUN: heddle run --runs=20 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>

enum { kStack = 12 << 20 };

static void* UseIt(void* unused) {
  char large[kStack - (1 << 20)];
  memset(large, 1, sizeof large);
  assert(large[sizeof large / 2] == 1);
  pthread_attr_t attributes;
  size_t size = 0;
  assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
  assert(pthread_attr_getstacksize(&attributes, &size) == 0 && size >= kStack);
  pthread_attr_destroy(&attributes);
  return unused;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  assert(pthread_attr_setstacksize(&attributes, kStack) == 0);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) assert(pthread_create(&threads[i], &attributes, UseIt, NULL) == 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
