// Annotations of ThreadSanitizer: a lock of one's own, and a race declared benign.
// RUN: heddle run --runs=300
// EXPECT: clean
// RUN: heddle run --runs=300 -- bare
// EXPECT: kind=race
#include <pthread.h>
#include <sanitizer/tsan_interface.h>

void AnnotateBenignRaceSized(const char* file, int line, const volatile void* address, long size,
                             const char* why);

static int busy;  // a lock that only the annotations explain
static int guarded;
static int statistic;
static int bare;

static void* Work(void* unused) {
  int expected = 0;
  while (!__atomic_compare_exchange_n(&busy, &expected, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    expected = 0;
    sched_yield();
  }
  if (!bare) __tsan_acquire(&guarded);
  guarded++;
  if (!bare) __tsan_release(&guarded);
  __atomic_store_n(&busy, 0, __ATOMIC_RELAXED);
  statistic++;
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  bare = argc > 1;
  AnnotateBenignRaceSized(__FILE__, __LINE__, &statistic, sizeof statistic, "only a statistic");
  pthread_t thread;
  pthread_create(&thread, NULL, Work, NULL);
  Work(NULL);
  pthread_join(thread, NULL);
  return guarded == 2 ? 0 : 1;
}
