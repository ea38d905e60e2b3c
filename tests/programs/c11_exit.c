// thrd_exit ends a thread from anywhere, with its result; a detached one needs no join.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

static atomic_int ran;

static void Leave(int result) { thrd_exit(result); }

static int Deep(void* unused) {
  (void)unused;
  Leave(5);
  return 6;
}

static int Alone(void* unused) {
  (void)unused;
  atomic_store(&ran, 1);
  return 0;
}

int main(void) {
  thrd_t thread;
  int result = 0;
  thrd_create(&thread, Deep, NULL);
  assert(thrd_join(thread, &result) == thrd_success && result == 5);
  thrd_create(&thread, Alone, NULL);
  assert(thrd_detach(thread) == thrd_success);
  while (atomic_load(&ran) == 0) thrd_yield();
}
