// Bodies are moved by several threads and the energy is summed up without waiting for them: a
// missing join. (after the bug class of SCTBench's splash2-barnes)
#include <cassert>
#include <thread>

int position[4];

void Move(int first) {
  for (int i = first; i < first + 2; ++i) position[i] += i + 1;
}

int main() {
  std::thread one(Move, 0), other(Move, 2);
  one.join();
#ifdef FIXED
  other.join();
#endif
  int sum = 0;
  for (const int p : position) sum += p;
  assert(sum == 10);
#ifndef FIXED
  other.join();
#endif
}
