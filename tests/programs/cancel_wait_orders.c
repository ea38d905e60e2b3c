// Whether a thread that waits is woken before it is cancelled: searches that do not try both never
// say that they have.
// RUN: heddle run --strategy=dfs --keep-going
// EXPECT: clean, complete, classes=7
// RUN: heddle run --strategy=dfs -- woken
// EXPECT: kind=assertion
// RUN: heddle run --strategy=optimal-dpor --keep-going
// EXPECT: clean, output~The search ended because the strategy has nothing left to try.
// RUN: heddle run --strategy=dpor --keep-going
// EXPECT: clean, output~The search ended because the strategy has nothing left to try.
// RUN: heddle run --strategy=optimal-dpor --keep-going -- semaphore
// EXPECT: clean, output~The search ended because the strategy has nothing left to try.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static void Unlock(void* nothing) {
  (void)nothing;
  pthread_mutex_unlock(&mutex);
}

static void* Waits(void* with_semaphore) {
  if (with_semaphore != 0) {
    sem_wait(&semaphore);
    return 0;
  }
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(Unlock, 0);
  pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(1);
  return 0;
}

static void* Wakes(void* with_semaphore) {
  if (with_semaphore != 0) {
    sem_post(&semaphore);
  } else {
    pthread_cond_signal(&condition);
  }
  return 0;
}

int main(int argc, char** argv) {
  const char* const word = argc > 1 ? argv[1] : "";
  void* const with_semaphore = strcmp(word, "semaphore") == 0 ? &semaphore : 0;
  sem_init(&semaphore, 0, 0);
  pthread_t waits, wakes;
  void* result = 0;
  pthread_create(&waits, 0, Waits, with_semaphore);
  pthread_create(&wakes, 0, Wakes, with_semaphore);
  pthread_cancel(waits);
  pthread_join(waits, &result);
  pthread_join(wakes, 0);
  assert(strcmp(word, "woken") != 0 || result == PTHREAD_CANCELED);
  return 0;
}
