// A try on a spin lock that somebody holds fails at once.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t lock;

static void* Try(void* unused) {
  assert(pthread_spin_trylock(&lock) == EBUSY);
  return unused;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  assert(pthread_spin_trylock(&lock) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Try, NULL);
  pthread_join(thread, NULL);
  pthread_spin_unlock(&lock);
}
