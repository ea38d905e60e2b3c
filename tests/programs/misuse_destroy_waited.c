// Destroying a condition variable while a thread waits for it.
// RUN: heddle run --runs=300 -- wrong
// EXPECT: kind=misuse
// RUN: heddle run --runs=200 --keep-going -- right
// EXPECT: clean
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_changed, is_waiting;

static void* Wait(void* unused) {
  pthread_mutex_lock(&lock);
  is_waiting = 1;
  while (!is_changed) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(int count, char** words) {
  (void)count;
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_mutex_lock(&lock);
  is_changed = strcmp(words[1], "right") == 0 || !is_waiting;
  // Once everybody is woken it may go, though they have not left yet.
  if (is_changed) pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  pthread_cond_destroy(&changed);
  if (is_changed) pthread_join(thread, NULL);
}
