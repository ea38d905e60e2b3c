// Cancelling a C++ thread destroys what is on its stack; catching everything must let it through.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <pthread.h>

#include <cassert>
#include <semaphore.h>

static sem_t never;
static int destroyed = 0;

struct Local {
  ~Local() { ++destroyed; }
};

static void* Wait(void*) {
  Local outer;
  try {
    Local inner;
    sem_wait(&never);
  } catch (...) {
    ++destroyed;
    throw;
  }
  return nullptr;
}

int main() {
  sem_init(&never, 0, 0);
  pthread_t thread;
  pthread_create(&thread, nullptr, Wait, nullptr);
  pthread_cancel(thread);
  void* result = nullptr;
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED && destroyed == 3);
}
