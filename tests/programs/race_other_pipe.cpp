// Bytes order the thread that writes them before the one that gets them, and nobody else: reading
// another pipe, or asking a pipe in vain, orders nothing.
// RUN: heddle run --runs=200
// EXPECT: kind=race
// RUN: heddle run --runs=200 -- pipe
// EXPECT: clean
// RUN: heddle run --runs=200 -- other-event
// EXPECT: kind=race
// RUN: heddle run --runs=200 -- event
// EXPECT: clean
// RUN: heddle run --runs=200 -- in-vain
// EXPECT: kind=race
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

int value = 0;

void Put(int to) {
  const std::uint64_t one = 1;
  if (write(to, &one, sizeof one) != sizeof one) std::abort();
}

void Get(int from) {
  std::uint64_t bytes = 0;
  if (read(from, &bytes, sizeof bytes) != sizeof bytes) std::abort();
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "other-pipe";
  const bool by_event = std::strstr(how, "event") != nullptr;
  int first[2], second[2];
  if (pipe(first) != 0 || pipe(second) != 0) return 2;
  if (by_event) {
    first[0] = first[1] = eventfd(0, 0);
    second[0] = second[1] = eventfd(0, 0);
  }
  std::thread writer([&] {
    value = 1;
    Put(first[1]);
  });
  std::thread another([&] { Put(second[1]); });
  if (std::strcmp(how, "in-vain") == 0) {
    fcntl(first[0], F_SETFL, O_NONBLOCK);
    char byte = 0;
    if (read(first[0], &byte, 1) > 0) _exit(0);
  } else {
    Get(std::strncmp(how, "other", 5) == 0 ? second[0] : first[0]);
  }
  const int seen = value;
  writer.join();
  another.join();
  return seen > 1 ? 1 : 0;
}
