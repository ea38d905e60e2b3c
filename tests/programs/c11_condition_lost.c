// A C11 signal before the wait is lost.
// RUN: heddle run --runs=500
// EXPECT: kind=deadlock
#include <threads.h>

static mtx_t lock;
static cnd_t changed;

static int Give(void* unused) {
  (void)unused;
  cnd_broadcast(&changed);
  return 0;
}

int main(void) {
  mtx_init(&lock, mtx_plain);
  cnd_init(&changed);
  thrd_t thread;
  thrd_create(&thread, Give, NULL);
  mtx_lock(&lock);
  cnd_wait(&changed, &lock);
  mtx_unlock(&lock);
  thrd_join(thread, NULL);
}
