// A cancelled thread ends at a cancellation point, not before; its clean-up handlers run, last first.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t never;
static int order, first_at, second_at;

static void First(void* unused) {
  (void)unused;
  first_at = ++order;
}
static void Second(void* unused) {
  (void)unused;
  second_at = ++order;
}

static void* Wait(void* unused) {
  pthread_cleanup_push(First, NULL);
  pthread_cleanup_push(Second, NULL);
  sem_wait(&never);
  assert(!"nobody posts");
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  sem_init(&never, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  assert(pthread_cancel(thread) == 0);
  void* result = NULL;
  assert(pthread_join(thread, &result) == 0);
  assert(result == PTHREAD_CANCELED);
  assert(second_at == 1 && first_at == 2);
}
