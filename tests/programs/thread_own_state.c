// A thread's name (by prctl, too) and its stack for handlers are its own, whoever runs in between.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { kSize = 65536 };

static void* Run(void* name) {
  char seen[16];
  prctl(PR_SET_NAME, name);
  stack_t mine = {.ss_sp = malloc(kSize), .ss_size = kSize}, now;
  assert(sigaltstack(&mine, NULL) == 0);
  sched_yield();
  prctl(PR_GET_NAME, seen);
  assert(strcmp(seen, name) == 0);
  assert(pthread_getname_np(pthread_self(), seen, sizeof seen) == 0 && strcmp(seen, name) == 0);
  assert(pthread_getname_np(pthread_self(), seen, sizeof seen - 1) == ERANGE);
  assert(sigaltstack(NULL, &now) == 0 && now.ss_sp == mine.ss_sp && now.ss_size == kSize);
  mine.ss_flags = SS_DISABLE;
  assert(sigaltstack(&mine, NULL) == 0);
  free(mine.ss_sp);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, Run, "first");
  pthread_create(&threads[1], NULL, Run, "second");
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
