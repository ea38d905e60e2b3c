// Reading twice is harmless where readers are preferred; where writers are, a writer that queues in
// between stops the second read for ever.
// RUN: heddle run --runs=300 --keep-going -- readers
// EXPECT: clean
// RUN: heddle run --runs=500 -- writers
// EXPECT: kind=deadlock
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

static pthread_rwlock_t lock;

static void* ReadTwice(void* unused) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void* Write(void* unused) {
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(int count, char** words) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  if (count > 1 && strcmp(words[1], "writers") == 0) {
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  }
  pthread_rwlock_init(&lock, &attributes);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, ReadTwice, NULL);
  pthread_create(&threads[1], NULL, Write, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  pthread_rwlock_destroy(&lock);
}
