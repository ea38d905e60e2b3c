// Whether a thread is cancelled or comes to its end depends on the schedule: both happen.
// RUN: heddle run --runs=300 -- cancelled
// EXPECT: kind=assertion, any-schedule
// RUN: heddle run --runs=300 -- ended
// EXPECT: kind=assertion
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void* Work(void* unused) {
  pthread_testcancel();
  return unused;
}

int main(int count, char** words) {
  (void)count;
  pthread_t thread;
  pthread_create(&thread, NULL, Work, NULL);
  pthread_cancel(thread);
  void* result = NULL;
  pthread_join(thread, &result);
  assert((result == PTHREAD_CANCELED) != (strcmp(words[1], "cancelled") == 0));
}
