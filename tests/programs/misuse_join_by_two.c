// Two threads join the same one.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse, any-schedule
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <pthread.h>
#include <string.h>

static pthread_t target;
static void* Nothing(void* unused) { return unused; }
static void* Join(void* unused) {
  pthread_join(target, NULL);
  return unused;
}

int main(int count, char** words) {
  (void)count;
  pthread_create(&target, NULL, Nothing, NULL);
  pthread_t joiner;
  pthread_create(&joiner, NULL, Join, NULL);
  if (strcmp(words[1], "wrong") == 0) pthread_join(target, NULL);
  pthread_join(joiner, NULL);
}
