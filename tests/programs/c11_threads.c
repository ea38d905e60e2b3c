// C11 threads: made, joined with a result, compared.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <threads.h>

static int Double(void* value) { return 2 * *(int*)value; }

int main(void) {
  int values[2] = {21, -4};
  thrd_t threads[2];
  for (int i = 0; i < 2; ++i) assert(thrd_create(&threads[i], Double, &values[i]) == thrd_success);
  assert(!thrd_equal(threads[0], threads[1]) && thrd_equal(thrd_current(), thrd_current()));
  for (int i = 0; i < 2; ++i) {
    int result = 0;
    assert(thrd_join(threads[i], &result) == thrd_success && result == 2 * values[i]);
  }
}
