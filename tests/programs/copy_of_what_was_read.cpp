// A copy is a read and a write, and others may run between them: what it writes is what it read
// then.
// RUN: heddle run --strategy=dfs --keep-going
// EXPECT: kind=race, complete, classes=3
// RUN: heddle run --strategy=optimal-dpor --keep-going
// EXPECT: kind=race, complete, classes=3
// RUN: heddle run --strategy=optimal-dpor --keep-going -- exchanged
// EXPECT: kinds=assertion+race, complete, classes=3
// RUN: heddle run --strategy=optimal-dpor --keep-going -- first
// EXPECT: kinds=assertion+race, complete, classes=3
#include <cassert>
#include <cstring>
#include <thread>

char a[48] = "first", b[48] = "second";

int main(int argc, char** argv) {
  const volatile std::size_t size = sizeof a;
  std::thread one([&] { std::memcpy(a, b, size); });
  std::thread other([&] { std::memcpy(b, a, size); });
  one.join();
  other.join();
  const char* const wrong = argc > 1 ? argv[1] : "";
  const bool is_exchanged = std::strcmp(a, "second") == 0 && std::strcmp(b, "first") == 0;
  assert(std::strcmp(wrong, "exchanged") != 0 || !is_exchanged);
  assert(std::strcmp(wrong, "first") != 0 || std::strcmp(b, "first") != 0 || is_exchanged);
}
