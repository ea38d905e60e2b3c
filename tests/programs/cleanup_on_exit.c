// pthread_exit runs the clean-up handlers; popping one runs it if asked to.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>

static int ran;

static void Add(void* value) { ran += *(int*)value; }

static void Leave(void) { pthread_exit((void*)7); }

static void* Work(void* unused) {
  int one = 1, ten = 10, hundred = 100;
  pthread_cleanup_push(Add, &one);
  pthread_cleanup_push(Add, &ten);
  pthread_cleanup_pop(1);
  pthread_cleanup_push(Add, &hundred);
  pthread_cleanup_pop(0);
  Leave();
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Work, NULL);
  void* result = NULL;
  pthread_join(thread, &result);
  assert(result == (void*)7 && ran == 11);
}
