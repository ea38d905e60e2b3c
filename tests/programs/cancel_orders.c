// A request to end comes before or behind anything that the thread does: in sem_wait it ends there, even where nothing
// kept it from going on.
// RUN: heddle run --strategy=dfs
// EXPECT: clean, complete, classes=5
// RUN: heddle run --strategy=dpor
// EXPECT: clean, complete, classes=5
// RUN: heddle run --strategy=optimal-dpor
// EXPECT: clean, complete, classes=5
// RUN: heddle run --strategy=optimal-dpor -- early
// EXPECT: kind=assertion, any-schedule
// RUN: heddle run --strategy=optimal-dpor -- late
// EXPECT: kind=assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

static sem_t semaphore;
static atomic_int done;

static void* Run(void* nothing) {
  sem_wait(&semaphore);
  atomic_fetch_add(&done, 1);
  sem_post(&semaphore);
  pthread_testcancel();
  return nothing;
}

int main(int argc, char** argv) {
  const char* const wrong = argc > 1 ? argv[1] : "";
  sem_init(&semaphore, 0, 1);
  pthread_t thread;
  void* result = 0;
  pthread_create(&thread, 0, Run, 0);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(strcmp(wrong, "early") != 0 || result != PTHREAD_CANCELED || done == 1);
  assert(strcmp(wrong, "late") != 0 || result == PTHREAD_CANCELED);
  return 0;
}
