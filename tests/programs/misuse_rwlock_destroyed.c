// Destroying a read-write lock while somebody reads.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <pthread.h>
#include <string.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void* Read(void* unused) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(int count, char** words) {
  (void)count;
  pthread_t thread;
  pthread_create(&thread, NULL, Read, NULL);
  if (strcmp(words[1], "right") == 0) pthread_join(thread, NULL);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_destroy(&lock);
  if (strcmp(words[1], "wrong") == 0) pthread_join(thread, NULL);
}
