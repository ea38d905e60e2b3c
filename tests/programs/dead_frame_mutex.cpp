// A mutex in a stack frame that is left while another thread is about to lock it, by pthread calls
// alone: the frame of a function that has returned, seen by plain pointers as well.
// RUN: heddle run --runs=500
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --runs=300 -- wait
// EXPECT: clean
#include <pthread.h>
#include <semaphore.h>

namespace {

sem_t done;

void* Use(void* argument) {
  auto* const mutex = static_cast<pthread_mutex_t*>(argument);
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
  sem_post(&done);
  return nullptr;
}

[[gnu::noinline]] pthread_t Start(bool wait) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_t thread;
  pthread_create(&thread, nullptr, Use, &mutex);
  if (wait) sem_wait(&done);
  return thread;
}

}  // namespace

int main(int argc, char**) {
  sem_init(&done, 0, 0);
  const bool wait = argc > 1;
  const pthread_t thread = Start(wait);
  if (!wait) sem_wait(&done);
  pthread_join(thread, nullptr);
}
