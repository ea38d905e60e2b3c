// A futex through syscall(): wait compares, wake counts, a time-out comes.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean, not-native
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word = 0;

static long Futex(int operation, int value, const struct timespec* timeout) {
  return syscall(SYS_futex, &word, operation, value, timeout, NULL, 0);
}

static void* Wait(void* unused) {
  (void)unused;
  while (atomic_load(&word) == 0) {
    const long result = Futex(FUTEX_WAIT_PRIVATE, 0, NULL);
    assert(result == 0 || errno == EAGAIN);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Wait, NULL);
  atomic_store(&word, 1);
  const long woken = Futex(FUTEX_WAKE_PRIVATE, 2, NULL);
  assert(woken >= 0 && woken <= 2);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  const struct timespec minute = {.tv_sec = 60, .tv_nsec = 0};
  assert(Futex(FUTEX_WAIT_PRIVATE, 1, &minute) == -1 && errno == ETIMEDOUT);
  assert(Futex(FUTEX_WAIT_PRIVATE, 0, NULL) == -1 && errno == EAGAIN);
}
