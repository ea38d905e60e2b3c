// call_once calls once, and nobody passes before it is done.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static int calls;

static void Call(void) { ++calls; }

static int Pass(void* unused) {
  (void)unused;
  call_once(&flag, Call);
  assert(calls == 1);
  return 0;
}

int main(void) {
  thrd_t threads[3];
  for (int i = 0; i < 3; ++i) thrd_create(&threads[i], Pass, NULL);
  for (int i = 0; i < 3; ++i) thrd_join(threads[i], NULL);
}
