// A try on a C11 mutex that somebody holds, and on a recursive one of one's own.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <threads.h>

static mtx_t plain, recursive;

static int Try(void* unused) {
  (void)unused;
  assert(mtx_trylock(&plain) == thrd_busy);
  assert(mtx_lock(&recursive) == thrd_success);
  assert(mtx_trylock(&recursive) == thrd_success);
  mtx_unlock(&recursive);
  mtx_unlock(&recursive);
  return 0;
}

int main(void) {
  mtx_init(&plain, mtx_plain);
  mtx_init(&recursive, mtx_plain | mtx_recursive);
  assert(mtx_trylock(&plain) == thrd_success);
  thrd_t thread;
  thrd_create(&thread, Try, NULL);
  thrd_join(thread, NULL);
  mtx_unlock(&plain);
}
