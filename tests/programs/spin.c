// A spin lock protects; whoever can't get it waits without taking steps.
// RUN: heddle run --runs=300 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int count;

static void* Add(void* unused) {
  for (int i = 0; i < 2; ++i) {
    pthread_spin_lock(&lock);
    ++count;
    pthread_spin_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, Add, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  assert(count == 6);
  assert(pthread_spin_destroy(&lock) == 0);
}
