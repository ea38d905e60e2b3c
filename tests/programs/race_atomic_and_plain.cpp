// An atomic write and a plain read of the same variable race.
// RUN: heddle run --runs=100
// EXPECT: kind=race
#include <thread>

int value = 0;

int main() {
  std::thread writer([] { __atomic_store_n(&value, 1, __ATOMIC_SEQ_CST); });
  const int seen = value;
  writer.join();
  return seen > 1 ? 1 : 0;
}
