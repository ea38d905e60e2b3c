// Joining a thread that does not end in time fails, and works later.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t go;

static void* WaitForGo(void* unused) {
  sem_wait(&go);
  return unused;
}

int main(void) {
  sem_init(&go, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, WaitForGo, &go);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  void* result = NULL;
  assert(pthread_timedjoin_np(thread, &result, &now) == ETIMEDOUT);
  sem_post(&go);
  now.tv_sec += 1000;
  const int error = pthread_timedjoin_np(thread, &result, &now);
  assert(error == 0 || error == ETIMEDOUT);
  if (error != 0) assert(pthread_join(thread, &result) == 0);
  assert(result == &go);
}
