// Initialising a mutex again while a thread holds it.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse
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
  pthread_create(&thread, NULL, Use, NULL);
  if (strcmp(words[1], "right") == 0) {
    pthread_join(thread, NULL);
    pthread_mutex_init(&lock, NULL);
  } else {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_init(&lock, NULL);
    pthread_join(thread, NULL);
  }
}
