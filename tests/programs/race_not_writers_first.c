// A lock that prefers writers orders those who hold it, also where a writer gets it without queueing; and two of
// them taken in opposite orders are a warning.
// RUN: heddle run --runs=500
// EXPECT: clean
// RUN: heddle run --runs=100 -- orders
// EXPECT: kinds=lock-order, exit=0
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t lock;
static pthread_rwlock_t other;
static sem_t done;
static int number;

static void* Write(void* unused) {
  pthread_rwlock_wrlock(&lock);
  ++number;
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void* Read(void* seen) {
  pthread_rwlock_rdlock(&lock);
  *(int*)seen = number;
  pthread_rwlock_unlock(&lock);
  return NULL;
}

static void TakeBoth(pthread_rwlock_t* first, pthread_rwlock_t* second) {
  pthread_rwlock_wrlock(first);
  pthread_rwlock_wrlock(second);
  pthread_rwlock_unlock(second);
  pthread_rwlock_unlock(first);
}

static void* TakeInOrder(void* unused) {
  TakeBoth(&lock, &other);
  sem_post(&done);
  return unused;
}

static void* TakeInTheOtherOrder(void* unused) {
  sem_wait(&done);
  TakeBoth(&other, &lock);
  return unused;
}

int main(int count, char** words) {
  (void)words;
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock, &attributes);
  pthread_rwlock_init(&other, &attributes);
  sem_init(&done, 0, 0);
  int seen = 0;
  pthread_t threads[2];
  const int takes_both = count > 1;
  pthread_create(&threads[0], NULL, takes_both ? TakeInOrder : Write, NULL);
  pthread_create(&threads[1], NULL, takes_both ? TakeInTheOtherOrder : Read, &seen);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
