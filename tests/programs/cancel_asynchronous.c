// Asynchronous cancellation is delivered at a scheduling point, with a note.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean, uncontrolled=asynchronous cancellation
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready, steps;

static void* Spin(void* unused) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  atomic_store(&ready, 1);
  for (;;) atomic_fetch_add(&steps, 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Spin, NULL);
  while (!atomic_load(&ready)) {
  }
  pthread_cancel(thread);
  void* result = NULL;
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
}
