// Unlocking a read-write lock once too often.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse, any-schedule, output~unlock of a read-write lock that the thread does not hold
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <pthread.h>
#include <string.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void* Read(void* word) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  if (strcmp(word, "wrong") == 0) pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(int count, char** words) {
  (void)count;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Read, words[1]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
