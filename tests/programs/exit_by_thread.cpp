// A thread ends the process; the others go with it.
// RUN: heddle run --runs=50
// EXPECT: kind=exit, any-schedule, output~status 7
#include <cstdlib>
#include <thread>

int main() {
  std::thread other([] { std::exit(7); });
  other.join();
}
