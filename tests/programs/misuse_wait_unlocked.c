// Waiting for a condition with a mutex that one does not hold.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse, any-schedule, output~wait for a condition with a mutex that is not locked
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <time.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void* Wait(void* word) {
  const struct timespec past = {1, 0};
  const int right = strcmp(word, "right") == 0;
  if (right) pthread_mutex_lock(&lock);
  pthread_cond_timedwait(&never, &lock, &past);
  if (right) pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int count, char** words) {
  (void)count;
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, words[1]);
  pthread_join(thread, NULL);
}
