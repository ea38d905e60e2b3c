// A thread that is cancelled while it joins another leaves that one joinable.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t go;
static pthread_t target;

static void* Target(void* unused) {
  sem_wait(&go);
  return unused;
}
static void* Join(void* unused) {
  pthread_join(target, NULL);
  return unused;
}

int main(void) {
  sem_init(&go, 0, 0);
  pthread_create(&target, NULL, Target, NULL);
  pthread_t joiner;
  pthread_create(&joiner, NULL, Join, NULL);
  pthread_cancel(joiner);
  void* result = NULL;
  pthread_join(joiner, &result);
  assert(result == PTHREAD_CANCELED);
  sem_post(&go);
  assert(pthread_join(target, NULL) == 0);
}
