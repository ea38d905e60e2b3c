// Two threads wait for one condition with two mutexes; one after the other is no harm.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse, any-schedule
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <time.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void* Wait(void* lock) {
  const struct timespec past = {1, 0};
  pthread_mutex_lock(lock);
  pthread_cond_timedwait(&never, lock, &past);
  pthread_mutex_unlock(lock);
  return NULL;
}

int main(int count, char** words) {
  (void)count;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    pthread_create(&threads[i], NULL, Wait, &locks[i]);
    if (strcmp(words[1], "right") == 0) pthread_join(threads[i], NULL);
  }
  for (int i = 0; i < 2 && strcmp(words[1], "wrong") == 0; ++i) pthread_join(threads[i], NULL);
}
