// A writer is alone: no reader and no other writer is inside with it.
// RUN: heddle run --runs=300 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void* Write(void* unused) {
  pthread_rwlock_wrlock(&lock);
  const int before = value;
  value = before + 1;
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void* Read(void* unused) {
  pthread_rwlock_rdlock(&lock);
  const int first = value;
  assert(value == first);
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, Write, NULL);
  pthread_create(&threads[1], NULL, Write, NULL);
  pthread_create(&threads[2], NULL, Read, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  assert(value == 2);
}
