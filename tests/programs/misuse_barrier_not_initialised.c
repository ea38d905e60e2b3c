// Waiting at a barrier that nobody initialised.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse, any-schedule
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
  if (strcmp(words[1], "right") == 0) pthread_barrier_init(&barrier, NULL, 1);
  pthread_t thread;
  pthread_create(&thread, NULL, Meet, NULL);
  pthread_join(thread, NULL);
}
