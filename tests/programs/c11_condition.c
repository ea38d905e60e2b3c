// A C11 condition variable hands a value over.
// RUN: heddle run --runs=300 --keep-going
// EXPECT: clean
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int value;

static int Give(void* unused) {
  (void)unused;
  mtx_lock(&lock);
  value = 7;
  cnd_signal(&changed);
  mtx_unlock(&lock);
  return 0;
}

int main(void) {
  mtx_init(&lock, mtx_plain);
  cnd_init(&changed);
  thrd_t thread;
  thrd_create(&thread, Give, NULL);
  mtx_lock(&lock);
  while (value == 0) cnd_wait(&changed, &lock);
  assert(value == 7);
  mtx_unlock(&lock);
  thrd_join(thread, NULL);
  cnd_destroy(&changed);
  mtx_destroy(&lock);
}
