// A time that is none is refused.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t semaphore;

static void* Wait(void* unused) {
  const struct timespec wrong = {0, 1000000000};
  assert(sem_timedwait(&semaphore, &wrong) == -1 && errno == EINVAL);
  return unused;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_join(thread, NULL);
}
