// The way to round is a thread's own, in both of the processor's units, and inherited at creation.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <cfenv>
#include <thread>

static std::atomic<int> steps{0};

// Volatile, or the compiler would compute it.
static bool RoundsAs(int mode) {
  volatile double one = 1, three = 3;
  volatile long double long_one = 1, long_three = 3;
  const double third = one / three;
  const long double long_third = long_one / long_three;
  const bool is_up = mode == FE_UPWARD;
  return (third > 0x1.5555555555555p-2) == is_up && (long_third * 3 > 1.0L) == is_up &&
         std::fegetround() == mode;
}

static void Compute(int mode) {
  std::fesetround(mode);
  for (int i = 0; i < 3; ++i) {
    steps.fetch_add(1);
    assert(RoundsAs(mode));
  }
}

int main() {
  std::fesetround(FE_UPWARD);
  std::thread heir([] {
    steps.fetch_add(1);
    assert(RoundsAs(FE_UPWARD));
  });
  std::thread up(Compute, FE_UPWARD);
  std::thread down(Compute, FE_DOWNWARD);
  heir.join();
  up.join();
  down.join();
  assert(RoundsAs(FE_UPWARD));
}
