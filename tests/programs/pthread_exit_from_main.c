// When main leaves by pthread_exit the others go on, and the last one ends the process.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_t main_thread;
static int finished = 0;

static void AtExit(void) { assert(finished == 1); }

static void* GoOn(void* unused) {
  (void)unused;
  pthread_join(main_thread, NULL);
  finished = 1;
  return NULL;
}

int main(void) {
  atexit(AtExit);
  main_thread = pthread_self();
  pthread_t thread;
  pthread_create(&thread, NULL, GoOn, NULL);
  pthread_exit(NULL);
}
