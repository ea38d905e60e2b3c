// Detaching a thread twice.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse, any-schedule
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <semaphore.h>
#include <pthread.h>
#include <string.h>

static sem_t done;
static void* Nothing(void* unused) {
  sem_post(&done);
  return unused;
}

int main(int count, char** words) {
  (void)count;
  sem_init(&done, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Nothing, NULL);
  pthread_detach(thread);
  if (strcmp(words[1], "wrong") == 0) pthread_detach(thread);
  sem_wait(&done);
}
