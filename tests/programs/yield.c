// Loops that wait with sched_yield end.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int turn = 0;

static void* Second(void* unused) {
  (void)unused;
  while (atomic_load(&turn) != 1) sched_yield();
  atomic_store(&turn, 2);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Second, NULL);
  atomic_store(&turn, 1);
  while (atomic_load(&turn) != 2) sched_yield();
  pthread_join(thread, NULL);
}
