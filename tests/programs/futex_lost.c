// Waking before the word is changed loses the wake-up.
// RUN: heddle run --runs=500
// EXPECT: kind=deadlock
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word = 0;

static void* Wait(void* unused) {
  (void)unused;
  if (atomic_load(&word) == 0) syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
  atomic_store(&word, 1);
  pthread_join(thread, NULL);
}
