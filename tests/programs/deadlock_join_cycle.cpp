// Two threads join each other.
// RUN: heddle run --runs=50
// EXPECT: kind=deadlock, any-schedule
#include <pthread.h>

pthread_t first;
pthread_t second;

int main() {
  static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&both);
  const auto join = [](void* other) -> void* {
    pthread_mutex_lock(&both);
    const pthread_t thread = *static_cast<pthread_t*>(other);
    pthread_mutex_unlock(&both);
    pthread_join(thread, nullptr);
    return nullptr;
  };
  pthread_create(&first, nullptr, join, &second);
  pthread_create(&second, nullptr, join, &first);
  pthread_mutex_unlock(&both);
  pthread_exit(nullptr);
}
