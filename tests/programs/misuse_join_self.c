// A thread joins itself.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse, any-schedule, output~a thread joins itself
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <pthread.h>
#include <string.h>

static void* Join(void* word) {
  if (strcmp(word, "wrong") == 0) pthread_join(pthread_self(), NULL);
  return NULL;
}

int main(int count, char** words) {
  (void)count;
  pthread_t thread;
  pthread_create(&thread, NULL, Join, words[1]);
  pthread_join(thread, NULL);
}
