// A try takes what there is and never waits.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;
static int taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* Try(void* unused) {
  if (sem_trywait(&semaphore) == 0) {
    pthread_mutex_lock(&lock);
    ++taken;
    pthread_mutex_unlock(&lock);
  } else {
    assert(errno == EAGAIN);
  }
  return unused;
}

int main(void) {
  sem_init(&semaphore, 0, 2);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, Try, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  int value = -1;
  assert(sem_getvalue(&semaphore, &value) == 0 && value == 0 && taken == 2);
}
