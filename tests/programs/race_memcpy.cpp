// A copy reads what another thread writes in its middle; the copy beside it does not.
// RUN: heddle run --runs=100
// EXPECT: kind=race
// RUN: heddle run --runs=100 -- beside
// EXPECT: clean
#include <cstring>
#include <thread>

char source[64];
char target[64];

int main(int argc, char**) {
  const int at = argc > 1 ? 50 : 21;
  std::thread writer([at] { source[at] = 1; });
  std::memcpy(target, source, 43);
  writer.join();
  return target[0];
}
