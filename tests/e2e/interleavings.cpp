// Functions started by heddle::Concurrently, of a size given on the command line, whose
// interleavings the brute force in interleavings.py counts without heddle:
//
//   stores T N      T threads, each with N relaxed atomic stores to one variable
//   counters T N    T threads, each adds N times to a counter behind one lock
//   hand-over N     one thread posts a semaphore N times, the other waits for it N times
#include <heddle/heddle.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdlib>
#include <string>

namespace {

template <typename Function>
void Start(int threads, Function function) {
  if (threads == 2) heddle::Concurrently(function, function);
  if (threads == 3) heddle::Concurrently(function, function, function);
}

std::atomic<int> value{0};
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter = 0;
sem_t items;

}  // namespace

int main(int argc, char** argv) {
  const std::string shape = argv[1];
  const int first = std::atoi(argv[2]);
  const int second = argc > 3 ? std::atoi(argv[3]) : 0;
  if (shape == "stores") {
    Start(first, [second] {
      for (int i = 0; i < second; ++i) value.store(i, std::memory_order_relaxed);
    });
  } else if (shape == "counters") {
    Start(first, [second] {
      for (int i = 0; i < second; ++i) {
        pthread_mutex_lock(&lock);
        ++counter;
        pthread_mutex_unlock(&lock);
      }
    });
    HEDDLE_ASSERT(counter == first * second);
  } else if (shape == "hand-over") {
    sem_init(&items, 0, 0);
    heddle::Concurrently(
        [first] {
          for (int i = 0; i < first; ++i) sem_post(&items);
        },
        [first] {
          for (int i = 0; i < first; ++i) sem_wait(&items);
        });
  }
}
