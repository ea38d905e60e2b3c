// Joining a thread twice.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse, any-schedule, output~join of a thread that was joined already
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <pthread.h>
#include <string.h>

static void* Nothing(void* unused) { return unused; }

int main(int count, char** words) {
  (void)count;
  pthread_t thread;
  pthread_create(&thread, NULL, Nothing, NULL);
  pthread_join(thread, NULL);
  if (strcmp(words[1], "wrong") == 0) pthread_join(thread, NULL);
}
