// Thread-specific storage of C11: a value for each thread, destroyed when the thread ends.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

static tss_t key;
static atomic_int destroyed;

static void Destroy(void* value) { atomic_fetch_add(&destroyed, *(int*)value); }

static int Store(void* value) {
  assert(tss_get(key) == NULL);
  assert(tss_set(key, value) == thrd_success);
  thrd_yield();
  assert(tss_get(key) == value);
  return 0;
}

int main(void) {
  assert(tss_create(&key, Destroy) == thrd_success);
  int values[2] = {1, 10};
  thrd_t threads[2];
  for (int i = 0; i < 2; ++i) thrd_create(&threads[i], Store, &values[i]);
  for (int i = 0; i < 2; ++i) thrd_join(threads[i], NULL);
  assert(atomic_load(&destroyed) == 11);
  tss_delete(key);
}
