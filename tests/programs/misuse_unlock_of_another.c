// Unlocking a mutex that another thread holds at that moment.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <errno.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The answer of the try is not looked at.
static void* TryAndUnlock(void* word) {
  const int error = pthread_mutex_trylock(&lock);
  if (strcmp(word, "wrong") == 0 || error == 0) pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int count, char** words) {
  (void)count;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, TryAndUnlock, words[1]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
