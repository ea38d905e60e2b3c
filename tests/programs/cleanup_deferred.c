// pthread_cleanup_push_defer_np: the handler runs like any other, and cancellation is deferred
// until it is popped.
// RUN: heddle run --runs=20 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int cleaned;

static void CleanUp(void* amount) { cleaned += *(int*)amount; }

static void* Leaves(void* unused) {
  int one = 1, ten = 10;
  pthread_cleanup_push_defer_np(CleanUp, &one);
  pthread_cleanup_push(CleanUp, &ten);
  pthread_exit(NULL);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop_restore_np(0);
  return unused;
}

static void* Pops(void* unused) {
  int hundred = 100, type;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cleanup_push_defer_np(CleanUp, &hundred);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  assert(type == PTHREAD_CANCEL_DEFERRED);
  pthread_cleanup_pop_restore_np(1);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  assert(type == PTHREAD_CANCEL_ASYNCHRONOUS);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Leaves, NULL);
  pthread_join(thread, NULL);
  assert(cleaned == 11);
  pthread_create(&thread, NULL, Pops, NULL);
  pthread_join(thread, NULL);
  assert(cleaned == 111);
}
