// An eventfd adds up what is written; as a semaphore it is taken one by one.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int sum, semaphore;

static void* Add(void* unused) {
  const uint64_t two = 2;
  assert(write(sum, &two, sizeof two) == sizeof two);
  assert(eventfd_write(semaphore, 1) == 0);
  return unused;
}

int main(void) {
  sum = eventfd(0, 0);
  semaphore = eventfd(0, EFD_SEMAPHORE);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Add, NULL);
  for (int i = 0; i < 2; ++i) {
    eventfd_t one = 0;
    assert(eventfd_read(semaphore, &one) == 0 && one == 1);
  }
  uint64_t all = 0;
  assert(read(sum, &all, sizeof all) == sizeof all && all == 4);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
