// Two threads that do a lot by themselves first, and then a little together: the classes are of the
// little, the time goes into the rest. Arguments: how many steps each makes alone, and how many
// together.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
std::atomic<int> together{0};

void Work(std::atomic<int>* own, int steps, int rounds) {
  for (int i = 0; i < steps; ++i) own->fetch_add(1, kRelaxed);
  for (int i = 0; i < rounds; ++i) {
    const int seen = together.load(kRelaxed);
    together.store(seen + 1, kRelaxed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 100;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  std::atomic<int> first{0}, second{0};
  std::thread one(Work, &first, steps, rounds);
  std::thread two(Work, &second, steps, rounds);
  one.join();
  two.join();
  assert(first == steps && second == steps);
  assert(together >= 2);
}
