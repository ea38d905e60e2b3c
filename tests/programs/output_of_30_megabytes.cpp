// However much a program prints, writing works: heddle keeps the two ends of it.
// RUN: heddle run --strategy=random --runs=2
// EXPECT: clean
// RUN: heddle run --strategy=random --runs=2 -- fail
// EXPECT: kind=assertion, any-schedule, output~bytes left out]
#include <unistd.h>

#include <cassert>
#include <string>
#include <thread>

int main(int argc, char**) {
  std::thread printer([] {
    const std::string part(256 << 10, '.');
    for (int i = 0; i < 113; ++i) {
      assert(write(STDOUT_FILENO, part.data(), part.size()) == static_cast<ssize_t>(part.size()));
    }
  });
  printer.join();
  assert(argc == 1 && "at the end");
  return 0;
}
