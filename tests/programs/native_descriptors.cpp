// Threads that make descriptors at the same time: natively nothing of ours may stand in their way.
// RUN: heddle run --strategy=random --runs=3 -- 2
// EXPECT: clean
// RUN: heddle run --strategy=random --runs=1 -- 300
// EXPECT: clean
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

static void Work(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    int pipes[2];
    assert(pipe(pipes) == 0);
    const int made[] = {pipes[0], pipes[1], dup(pipes[0]), eventfd(0, 0),
                        socket(AF_UNIX, SOCK_STREAM, 0)};
    for (const int descriptor : made) {
      assert(descriptor >= 0);
      close(descriptor);
    }
  }
}

int main(int, char** words) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(Work, std::atoi(words[1]));
  for (std::thread& thread : threads) thread.join();
}
