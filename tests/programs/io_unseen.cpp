// What libc writes inside, to a descriptor that another thread reads, is no deadlock: it is found,
// and said. dprintf is seen.
// RUN: heddle run --runs=50 --keep-going -- dprintf
// EXPECT: clean
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean, uncontrolled=bytes that went through a descriptor unseen
#include <unistd.h>

#include <cassert>
#include <cstdio>
#include <thread>

int main(int argc, char**) {
  int ends[2];
  assert(pipe(ends) == 0);
  const int before = dup(1);
  if (argc == 1) assert(dup2(ends[1], 1) == 1);
  std::thread writer([&] {
    if (argc > 1) {
      assert(dprintf(ends[1], "%d bytes\n", 8) == 8);
    } else {
      printf("8 bytes\n");
      fflush(stdout);
    }
  });
  char text[16];
  assert(read(ends[0], text, sizeof text) == 8);
  writer.join();
  dup2(before, 1);
}
