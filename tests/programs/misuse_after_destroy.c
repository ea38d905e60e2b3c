// Locking a mutex that was destroyed; and one that was made anew.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse, any-schedule, output~use of a mutex that was destroyed
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* Use(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(int count, char** words) {
  (void)count;
  pthread_t thread;
  pthread_mutex_destroy(&lock);
  if (strcmp(words[1], "right") == 0) pthread_mutex_init(&lock, NULL);
  pthread_create(&thread, NULL, Use, NULL);
  pthread_join(thread, NULL);
}
