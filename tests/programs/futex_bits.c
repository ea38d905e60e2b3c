// FUTEX_WAKE_BITSET wakes those that sleep with one of its bits.
// RUN: heddle run --strategy=dfs --runs=100000
// EXPECT: clean, complete
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint32_t word;

static long Futex(int operation, uint32_t value, uint32_t bits) {
  return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, bits);
}

static void* Sleep(void* unused) {
  while (word == 0) Futex(FUTEX_WAIT_BITSET, 0, 2);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Sleep, NULL);
  assert(Futex(FUTEX_WAKE_BITSET, 9, 4) == 0);
  word = 1;
  assert(Futex(FUTEX_WAKE_BITSET, 9, 1) == 0);
  assert(Futex(FUTEX_WAKE_BITSET, 9, 3) <= 1);
  pthread_join(thread, NULL);
  assert(Futex(FUTEX_WAKE_BITSET, 9, 0) == -1 && errno == EINVAL);
}
