// Destroying a barrier that a thread waits at.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <pthread.h>
#include <string.h>

static pthread_barrier_t barrier;
static void* Meet(void* unused) {
  pthread_barrier_wait(&barrier);
  return unused;
}

int main(int count, char** words) {
  (void)count;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, Meet, NULL);
  if (strcmp(words[1], "right") == 0) pthread_barrier_wait(&barrier);
  pthread_barrier_destroy(&barrier);
  if (strcmp(words[1], "right") == 0) pthread_join(thread, NULL);
}
