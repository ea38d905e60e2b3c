// Whether somebody reads the clock before another thread's wait for a signal has timed out: that
// the wait may have to wait does not keep it from timing out first. Both threads ask for the time
// when they begin to wait, one once more behind that.
// RUN: heddle run --strategy=dfs --keep-going
// EXPECT: clean, complete, classes=6
// RUN: heddle run --strategy=optimal-dpor --keep-going
// EXPECT: clean, complete, runs=6, classes=6
// RUN: heddle run --strategy=dpor --keep-going
// EXPECT: clean, complete, classes=6
#include <pthread.h>
#include <signal.h>
#include <time.h>

static sigset_t awaited;

static void Await(void) {
  const struct timespec a_while = {0, 2000000};
  sigtimedwait(&awaited, 0, &a_while);
}

static void* Measures(void* nothing) {
  struct timespec end;
  Await();
  clock_gettime(CLOCK_MONOTONIC, &end);
  return nothing;
}

int main(void) {
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &awaited, 0);
  pthread_t measures;
  pthread_create(&measures, 0, Measures, 0);
  Await();
  pthread_join(measures, 0);
  return 0;
}
