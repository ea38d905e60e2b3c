// Three accounts, three threads, each of which moves money on to the next account: account by
// account in a circle. (deadlock of three)
#include <thread>

#include "../stir.h"

static std::mutex locks[3];
static int balance[3] = {10, 10, 10};

static void Move(int from) {
  const int to = (from + 1) % 3;
  Stir(from);
  const std::lock_guard guard_from(locks[from]);
  balance[from] -= 1;
  const std::lock_guard guard_to(locks[to]);
  balance[to] += 1;
}

int main() {
  std::thread a(Move, 0), b(Move, 1), c(Move, 2);
  a.join();
  b.join();
  c.join();
}
