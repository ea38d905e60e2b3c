// A thread that is made detached needs no join, and says so of itself.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

static void* Detached(void* unused) {
  pthread_attr_t attributes;
  int state = -1;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getdetachstate(&attributes, &state);
  assert(state == PTHREAD_CREATE_DETACHED);
  pthread_attr_destroy(&attributes);
  sem_post(&done);
  return unused;
}

int main(void) {
  sem_init(&done, 0, 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  for (int i = 0; i < 2; ++i) pthread_create(&thread, &attributes, Detached, NULL);
  for (int i = 0; i < 2; ++i) sem_wait(&done);
}
