// Which thread comes last, and is the special one, depends on the schedule: each can be.
// RUN: heddle run --runs=300 -- 0
// EXPECT: kind=assertion
// RUN: heddle run --runs=300 -- 1
// EXPECT: kind=assertion, any-schedule
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;
static int guess;

static void* Meet(void* which) {
  if (pthread_barrier_wait(&barrier) != 0) assert(guess != (int)(long)which);
  return NULL;
}

int main(int count, char** words) {
  (void)count;
  guess = atoi(words[1]);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Meet, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
