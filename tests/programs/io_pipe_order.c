// Which of two writers comes first into a pipe depends on the schedule.
// RUN: heddle run --runs=200 -- a
// EXPECT: kind=assertion, any-schedule
// RUN: heddle run --runs=200 -- b
// EXPECT: kind=assertion
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void* Write(void* letter) {
  assert(write(ends[1], letter, 1) == 1);
  return NULL;
}

int main(int count, char** words) {
  (void)count;
  assert(pipe(ends) == 0);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, Write, "a");
  pthread_create(&threads[1], NULL, Write, "b");
  char first;
  assert(read(ends[0], &first, 1) == 1);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(first != words[1][0]);
}
