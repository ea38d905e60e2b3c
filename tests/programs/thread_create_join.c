// A thread gets its argument and its joiner the result.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static void* Double(void* argument) { return (void*)((intptr_t)argument * 2); }

int main(void) {
  pthread_t threads[3];
  for (intptr_t i = 0; i < 3; ++i) assert(pthread_create(&threads[i], NULL, Double, (void*)i) == 0);
  for (intptr_t i = 0; i < 3; ++i) {
    void* result;
    assert(pthread_join(threads[i], &result) == 0);
    assert((intptr_t)result == 2 * i);
  }
}
