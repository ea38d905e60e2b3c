// Three locks in a ring: all three threads and locks are named. The deadlock itself never comes,
// because a semaphore keeps the threads apart.
// RUN: heddle run --runs=100
// EXPECT: kinds=lock-order, exit=0, output~T2 takes mutex third while it holds mutex second
// RUN: heddle run --runs=100 -- straight
// EXPECT: clean
#include <semaphore.h>

#include <mutex>
#include <thread>

std::mutex first, second, third;
sem_t turn[3];

void TakeBoth(int which, std::mutex& one, std::mutex& other) {
  sem_wait(&turn[which]);
  {
    const std::lock_guard<std::mutex> outer(one);
    const std::lock_guard<std::mutex> inner(other);
  }
  if (which < 2) sem_post(&turn[which + 1]);
}

int main(int argc, char**) {
  const bool is_ring = argc == 1;
  for (int i = 0; i < 3; ++i) sem_init(&turn[i], 0, i == 0 ? 1 : 0);
  std::thread a([] { TakeBoth(0, first, second); });
  std::thread b([] { TakeBoth(1, second, third); });
  std::thread c([=] { is_ring ? TakeBoth(2, third, first) : TakeBoth(2, first, third); });
  a.join();
  b.join();
  c.join();
}
