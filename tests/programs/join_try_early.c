// What a thread did last can be seen before the thread has ended.
// RUN: heddle run --runs=500
// EXPECT: kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

static void* Finish(void* unused) {
  atomic_store(&done, 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Finish, NULL);
  const int was_done = atomic_load(&done);
  const int error = pthread_tryjoin_np(thread, NULL);
  assert(!was_done || error == 0);
  if (error != 0) pthread_join(thread, NULL);
}
