// The future of std::async joins its thread when it goes.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <cassert>
#include <future>

int main() {
  int value = 0;
  { const auto done = std::async(std::launch::async, [&] { value = 1; }); }
  assert(value == 1);
}
