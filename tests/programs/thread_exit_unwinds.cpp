// pthread_exit runs the destructors on its way and gives the joiner its value.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <pthread.h>

#include <cassert>

bool destroyed = false;
struct Guard {
  ~Guard() { destroyed = true; }
};

void Leave() { pthread_exit(reinterpret_cast<void*>(17)); }

void* Run(void*) {
  const Guard guard;
  Leave();
  return nullptr;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, Run, nullptr);
  void* result = nullptr;
  pthread_join(thread, &result);
  assert(result == reinterpret_cast<void*>(17));
  assert(destroyed);
}
