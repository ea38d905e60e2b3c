// A plain C11 mutex protects.
// RUN: heddle run --runs=300 --keep-going
// EXPECT: clean
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static int count;

static int Add(void* unused) {
  (void)unused;
  mtx_lock(&lock);
  ++count;
  mtx_unlock(&lock);
  return 0;
}

int main(void) {
  assert(mtx_init(&lock, mtx_plain) == thrd_success);
  thrd_t threads[3];
  for (int i = 0; i < 3; ++i) thrd_create(&threads[i], Add, NULL);
  for (int i = 0; i < 3; ++i) thrd_join(threads[i], NULL);
  assert(count == 3);
  mtx_destroy(&lock);
}
