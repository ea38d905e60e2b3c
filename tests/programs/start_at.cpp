// Set-up that is costly is done once: runs begin at a function, or where the program says Ready.
// RUN: heddle run --races=off --strategy=dfs --start-at Work -- function
// EXPECT: clean, complete
// RUN: heddle run --races=off --strategy=dfs -- ready
// EXPECT: clean, complete
// RUN: heddle run --races=off --strategy=dfs --start-at Work -- function broken
// EXPECT: kind=assertion
#include <heddle/heddle.h>
#include <stdio.h>
#include <unistd.h>

#include <cassert>
#include <cstring>
#include <mutex>
#include <thread>

static int setups = 0;
static int shared = 0;
static std::mutex mutex;

static void Add(bool locked) {
  if (locked) mutex.lock();
  const int before = shared;
  shared = before + 1;
  if (locked) mutex.unlock();
}

// Called with arguments of several kinds: all must arrive.
extern "C" __attribute__((noinline)) int Work(int a, double b, const char* c, bool locked) {
  assert(a == 1 && b == 2.5 && std::strcmp(c, "three") == 0);
  std::thread first(Add, locked), second(Add, locked);
  first.join();
  second.join();
  assert(shared == 2);
  return 7;
}

int main(int count, char** arguments) {
  // A pipe is filled once by the set-up. Were it done for every run, it would be empty or blocked.
  ++setups;
  if (count > 1 && std::strcmp(arguments[1], "ready") == 0) heddle::Ready();
  assert(setups == 1);
  assert(Work(1, 2.5, "three", count < 3) == 7);
}
