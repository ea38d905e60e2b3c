// A thread detaches itself and may outlive main.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

static void* Post(void* unused) {
  (void)unused;
  assert(pthread_detach(pthread_self()) == 0);
  sem_post(&done);
  return NULL;
}

int main(void) {
  sem_init(&done, 0, 0);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t by_itself;
  assert(pthread_create(&by_itself, NULL, Post, NULL) == 0);
  sem_wait(&done);
}
