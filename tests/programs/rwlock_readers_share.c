// Two readers can be inside at the same time.
// RUN: heddle run --runs=500
// EXPECT: kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int inside;

static void* Read(void* unused) {
  pthread_rwlock_rdlock(&lock);
  assert(atomic_fetch_add(&inside, 1) == 0);
  atomic_fetch_sub(&inside, 1);
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Read, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
