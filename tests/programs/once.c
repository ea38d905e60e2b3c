// pthread_once runs its function once, and nobody goes on before it is done.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int calls = 0;

static void Initialise(void) {
  int before = calls;
  sched_yield();
  calls = before + 1;
}

static void* Use(void* unused) {
  (void)unused;
  pthread_once(&once, Initialise);
  assert(calls == 1);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, Use, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}
