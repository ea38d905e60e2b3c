// Every thread knows itself by the name that its creator was given.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>

static pthread_t main_thread;

static void* Check(void* seen) {
  assert(!pthread_equal(pthread_self(), main_thread));
  *(pthread_t*)seen = pthread_self();
  return NULL;
}

int main(void) {
  main_thread = pthread_self();
  pthread_t threads[2];
  pthread_t seen[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Check, &seen[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < 2; ++i) assert(pthread_equal(threads[i], seen[i]));
}
