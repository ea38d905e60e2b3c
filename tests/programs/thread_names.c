// Threads have names of their own, inherited from their creator, of at most 15 characters.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

static void* Named(void* unused) {
  char name[16];
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
  assert(strcmp(name, "parent") == 0);
  assert(pthread_setname_np(pthread_self(), "worker") == 0);
  assert(pthread_setname_np(pthread_self(), "sixteen letters!") == ERANGE);
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
  assert(strcmp(name, "worker") == 0);
  assert(pthread_getname_np(pthread_self(), name, 3) == ERANGE);
  return unused;
}

int main(void) {
  assert(pthread_setname_np(pthread_self(), "parent") == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Named, NULL);
  pthread_join(thread, NULL);
  char name[16];
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "parent") == 0);
}
