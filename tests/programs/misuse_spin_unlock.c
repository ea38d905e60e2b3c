// Unlocking a spin lock that another thread holds.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <pthread.h>
#include <string.h>

static pthread_spinlock_t lock;

static void* TryAndUnlock(void* word) {
  const int error = pthread_spin_trylock(&lock);
  if (strcmp(word, "wrong") == 0 || error == 0) pthread_spin_unlock(&lock);
  return NULL;
}

int main(int count, char** words) {
  (void)count;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, TryAndUnlock, words[1]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
