// What was destroyed is used: whatever it is, and also by a thread that was about to use it when it
// was destroyed. Right: it is used first, or made anew at the same place, also without a call.
// RUN: heddle run --runs=50 -- mutex
// EXPECT: kind=misuse, any-schedule
// RUN: heddle run --runs=50 -- condition
// EXPECT: kind=misuse, any-schedule
// RUN: heddle run --runs=50 -- semaphore
// EXPECT: kind=misuse, any-schedule
// RUN: heddle run --runs=50 -- readers
// EXPECT: kind=misuse, any-schedule
// RUN: heddle run --runs=50 -- spin
// EXPECT: kind=misuse, any-schedule
// RUN: heddle run --runs=50 -- barrier early
// EXPECT: kind=misuse, any-schedule
// RUN: heddle run --strategy=optimal-dpor -- semaphore
// EXPECT: kind=misuse, any-schedule, output~use of a semaphore that was destroyed
// RUN: heddle run --runs=50 --keep-going -- mutex joined
// EXPECT: clean
// RUN: heddle run --runs=50 --keep-going -- condition joined
// EXPECT: clean
// RUN: heddle run --runs=50 --keep-going -- semaphore joined
// EXPECT: clean
// RUN: heddle run --runs=50 --keep-going -- readers joined
// EXPECT: clean
// RUN: heddle run --runs=50 --keep-going -- spin joined
// EXPECT: clean
// RUN: heddle run --runs=50 --keep-going -- barrier joined
// EXPECT: clean
// RUN: heddle run --runs=50 --keep-going -- mutex anew
// EXPECT: clean
// RUN: heddle run --runs=50 --keep-going -- condition anew
// EXPECT: clean
// RUN: heddle run --runs=50 --keep-going -- readers anew
// EXPECT: clean
// RUN: heddle run --runs=50 --keep-going -- semaphore anew
// EXPECT: clean
// RUN: heddle run --runs=50 --keep-going -- barrier anew
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static const char* what;

static int Is(const char* word) { return strcmp(what, word) == 0; }

static void Make(void) {
  sem_init(&semaphore, 0, 1);
  pthread_spin_init(&spin, 0);
  pthread_barrier_init(&barrier, NULL, 1);
}

static void* Use(void* unused) {
  if (Is("mutex")) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  } else if (Is("condition")) {
    pthread_cond_signal(&condition);
  } else if (Is("readers")) {
    pthread_rwlock_rdlock(&readers);
    pthread_rwlock_unlock(&readers);
  } else if (Is("semaphore")) {
    sem_wait(&semaphore);
  } else if (Is("spin")) {
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
  } else {
    pthread_barrier_wait(&barrier);
  }
  return unused;
}

static void Destroy(void) {
  if (Is("mutex")) {
    pthread_mutex_destroy(&mutex);
  } else if (Is("condition")) {
    pthread_cond_destroy(&condition);
  } else if (Is("readers")) {
    pthread_rwlock_destroy(&readers);
  } else if (Is("semaphore")) {
    sem_destroy(&semaphore);
  } else if (Is("spin")) {
    pthread_spin_destroy(&spin);
  } else {
    pthread_barrier_destroy(&barrier);
  }
}

int main(int count, char** words) {
  assert(count > 1);
  what = words[1];
  const char* const how = count > 2 ? words[2] : "";
  Make();
  pthread_t thread;
  if (strcmp(how, "anew") == 0 || strcmp(how, "early") == 0) {
    Destroy();
    if (strcmp(how, "anew") == 0) {
      Make();
      mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
      condition = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
      readers = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    }
    pthread_create(&thread, NULL, Use, NULL);
    pthread_join(thread, NULL);
    return 0;
  }
  pthread_create(&thread, NULL, Use, NULL);
  if (strcmp(how, "joined") == 0) pthread_join(thread, NULL);
  Destroy();
  if (strcmp(how, "joined") != 0) pthread_join(thread, NULL);
}
