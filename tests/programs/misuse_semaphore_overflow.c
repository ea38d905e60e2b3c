// Posting a semaphore beyond its greatest value.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse, any-schedule, output~at its greatest value: semaphore semaphore
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <limits.h>
#include <semaphore.h>
#include <pthread.h>
#include <string.h>

static sem_t semaphore;
static void* Post(void* unused) {
  sem_post(&semaphore);
  return unused;
}

int main(int count, char** words) {
  (void)count;
  sem_init(&semaphore, 0, SEM_VALUE_MAX - (strcmp(words[1], "right") == 0 ? 2 : 1));
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Post, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
