// Two openings of one name are one semaphore; every run starts with the value that was asked for.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static char name[64];

static void* Post(void* unused) {
  sem_t* const mine = sem_open(name, 0);
  assert(mine != SEM_FAILED);
  sem_post(mine);
  sem_close(mine);
  return unused;
}

int main(void) {
  snprintf(name, sizeof name, "/heddle-test-%d", (int)getpid());
  sem_t* const semaphore = sem_open(name, O_CREAT, 0600, 1);
  assert(semaphore != SEM_FAILED);
  int value = -1;
  sem_getvalue(semaphore, &value);
  assert(value == 1);
  pthread_t thread;
  pthread_create(&thread, NULL, Post, NULL);
  sem_wait(semaphore);
  sem_wait(semaphore);
  pthread_join(thread, NULL);
  assert(sem_unlink(name) == 0);
  assert(sem_close(semaphore) == 0);
}
