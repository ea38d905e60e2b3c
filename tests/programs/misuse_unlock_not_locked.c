// Unlocking a mutex that nobody holds.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse, any-schedule, output~unlock of a mutex that is not locked: mutex lock
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* Unlock(void* word) {
  if (strcmp(word, "right") == 0) pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int count, char** words) {
  (void)count;
  pthread_t thread;
  pthread_create(&thread, NULL, Unlock, words[1]);
  pthread_join(thread, NULL);
}
