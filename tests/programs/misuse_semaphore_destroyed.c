// Destroying a semaphore that a thread waits for.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse, any-schedule
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <semaphore.h>
#include <pthread.h>
#include <string.h>

static sem_t semaphore;
static void* Wait(void* unused) {
  sem_wait(&semaphore);
  return unused;
}

int main(int count, char** words) {
  (void)count;
  sem_init(&semaphore, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  if (strcmp(words[1], "right") == 0) {
    sem_post(&semaphore);
    pthread_join(thread, NULL);
  }
  sem_destroy(&semaphore);
}
