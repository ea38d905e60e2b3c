// The running example of Yuan, Yang, Gu (CAV 2018), Fig. 2: every statement is one event, and the
// assertion fails in exactly one total order of the ten.
#include <semaphore.h>

#include <atomic>
#include <cassert>

#include "heddle/heddle.h"

std::atomic<int> x = 0, y = 0, z = 0;
sem_t w;

int main() {
  sem_init(&w, 0, 0);
  heddle::Concurrently(
      [] {
        x.fetch_add(1);
        y.fetch_add(1);
        sem_post(&w);
        assert(z.load() < 5);
      },
      [] {
        x.store(1);
        const int a = x.load();
        y.store(a);
        sem_wait(&w);
        const int b = y.load();
        z.store(a + b);
      });
}
