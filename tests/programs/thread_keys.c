// A key has a value per thread, destroyed when the thread ends.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static int destroyed = 0;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void Destroy(void* value) {
  pthread_mutex_lock(&lock);
  destroyed += *(int*)value;
  pthread_mutex_unlock(&lock);
}

static void* Use(void* value) {
  assert(pthread_getspecific(key) == NULL);
  pthread_setspecific(key, value);
  assert(pthread_getspecific(key) == value);
  return NULL;
}

int main(void) {
  static int values[2] = {1, 10};
  assert(pthread_key_create(&key, Destroy) == 0);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Use, &values[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(destroyed == 11);
  assert(pthread_key_delete(key) == 0);
}
