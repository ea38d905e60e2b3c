// Two locks in opposite orders: a warning though no run deadlocks, because a semaphore happens to keep
// the threads apart; exit code 0. A gate around both, or joining in between, makes it right.
// RUN: heddle run --runs=100
// EXPECT: kinds=lock-order, exit=0
// RUN: heddle run --runs=100 -- gate
// EXPECT: clean
// RUN: heddle run --runs=100 -- join too
// EXPECT: clean
#include <semaphore.h>

#include <mutex>
#include <thread>

std::mutex a, b, gate;
sem_t done;

void TakeBoth(std::mutex& one, std::mutex& other, bool with_gate) {
  std::unique_lock<std::mutex> guard(gate, std::defer_lock);
  if (with_gate) guard.lock();
  const std::lock_guard<std::mutex> outer(one);
  const std::lock_guard<std::mutex> inner(other);
}

int main(int argc, char**) {
  const bool with_gate = argc == 2;
  const bool joins = argc == 3;
  sem_init(&done, 0, 0);
  std::thread first([=] {
    TakeBoth(a, b, with_gate);
    sem_post(&done);
  });
  if (joins) first.join();
  std::thread second([=] {
    sem_wait(&done);
    TakeBoth(b, a, with_gate);
  });
  second.join();
  if (!joins) first.join();
}
