// What depends on random numbers, the process id or thread ids happens again at replay.
// RUN: heddle run --runs=20
// EXPECT: kind=assertion, any-schedule
#include <unistd.h>

#include <cassert>
#include <random>
#include <thread>

int main() {
  unsigned sum = 0;
  std::thread thread([&] { sum = std::random_device()() ^ static_cast<unsigned>(gettid()); });
  thread.join();
  const unsigned word = sum ^ static_cast<unsigned>(getpid());
  assert(word == 0 && "another number in every run would make this message another one");
}
