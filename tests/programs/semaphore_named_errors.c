// Opening what is not there, making what is there, and a name that was unlinked.
// RUN: heddle run --runs=20 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static void* Open(void* unused) {
  char name[64];
  snprintf(name, sizeof name, "/heddle-errors-%d", (int)getpid());
  assert(sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
  sem_t* const first = sem_open(name, O_CREAT | O_EXCL, 0600, 2);
  assert(first != SEM_FAILED);
  assert(sem_open(name, O_CREAT | O_EXCL, 0600, 2) == SEM_FAILED && errno == EEXIST);
  assert(sem_open(name, 0) == first);
  assert(sem_unlink(name) == 0);
  assert(sem_unlink(name) == -1 && errno == ENOENT);
  assert(sem_trywait(first) == 0);
  sem_close(first);
  sem_close(first);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Open, NULL);
  pthread_join(thread, NULL);
}
