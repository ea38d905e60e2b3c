// Whether a thread has ended by the time somebody looks: ends of threads are scheduling points there.
// RUN: heddle run --strategy=dfs
// EXPECT: clean, complete, classes=2
// RUN: heddle run --strategy=dfs -- timed
// EXPECT: clean, complete, classes=2
// RUN: heddle run --strategy=optimal-dpor
// EXPECT: clean, complete, runs=2, classes=2
// RUN: heddle run --strategy=optimal-dpor -- timed
// EXPECT: clean, complete, runs=2, classes=2
// RUN: heddle run --strategy=dpor -- timed
// EXPECT: clean, complete, classes=2
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int number;

static void* Count(void* unused) {
  atomic_fetch_add(&number, 1);
  return unused;
}

int main(int count, char** words) {
  (void)words;
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  ++soon.tv_sec;
  pthread_t thread;
  pthread_create(&thread, NULL, Count, NULL);
  const int error =
      count > 1 ? pthread_timedjoin_np(thread, NULL, &soon) : pthread_tryjoin_np(thread, NULL);
  if (error != 0) pthread_join(thread, NULL);
}
