// A mutex in a block that is freed while another thread is about to lock it.
// RUN: heddle run --runs=500
// EXPECT: kind=use-after-free, any-schedule
#include <pthread.h>
#include <stdlib.h>

#include <thread>

int main() {
  auto* const mutex = static_cast<pthread_mutex_t*>(malloc(sizeof(pthread_mutex_t)));
  *mutex = PTHREAD_MUTEX_INITIALIZER;
  std::thread user([mutex] {
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
  });
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
  free(mutex);
  user.join();
}
