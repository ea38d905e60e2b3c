// What main allocated and freed before its runs begin, at heddle::Ready() or at the function of
// --start-at, is memory like any other: its errors are found, and say where it came from.
// RUN: heddle run --strategy=dfs -- ready use
// EXPECT: kind=use-after-free, any-schedule, output~Make  allocated_before_ready.cpp:31
// RUN: heddle run --strategy=dfs --start-at Start -- function use
// EXPECT: kind=use-after-free, any-schedule, output~Make  allocated_before_ready.cpp:31
// RUN: heddle run --strategy=dfs -- ready freed
// EXPECT: kind=use-after-free, any-schedule, output~Free  allocated_before_ready.cpp:32
// RUN: heddle run --strategy=dfs --start-at Start -- function freed
// EXPECT: kind=use-after-free, any-schedule, output~Free  allocated_before_ready.cpp:32
// RUN: heddle run --strategy=dfs -- ready race
// EXPECT: kind=race, output~Make  allocated_before_ready.cpp:31
// RUN: heddle run --strategy=dfs --start-at Start -- function race
// EXPECT: kind=race, output~Make  allocated_before_ready.cpp:31
// RUN: heddle run --strategy=dfs -- ready twice
// EXPECT: kind=double-free, any-schedule, output~Make  allocated_before_ready.cpp:31
// RUN: heddle run --strategy=dfs --reuse=explore -- ready again
// EXPECT: kind=assertion
// RUN: heddle run --strategy=dfs --reuse=explore --start-at Start -- function again
// EXPECT: kind=assertion
// RUN: heddle run --strategy=dfs --reuse=never -- ready again
// EXPECT: clean, complete, not-native
#include <heddle/heddle.h>

#include <cassert>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <thread>

static int* __attribute__((noinline)) Make() { return new int(1); }
static void __attribute__((noinline)) Free(int* block) { delete block; }

static int* block = nullptr;
static std::uintptr_t freed = 0;  // an address
static std::mutex mutex;

static void Use() {
  std::lock_guard lock(mutex);
  *block = 2;
}

extern "C" __attribute__((noinline)) void Start(const char* what) {
  if (std::strcmp(what, "use") == 0) {
    Free(block);
    std::thread(Use).join();
  } else if (std::strcmp(what, "freed") == 0) {
    std::thread(Use).join();
  } else if (std::strcmp(what, "race") == 0) {
    std::thread one([] { *block = 2; });
    std::thread two([] { *block = 3; });
    one.join();
    two.join();
  } else if (std::strcmp(what, "twice") == 0) {
    std::thread one([] { Free(block); });
    one.join();
    Free(block);
  } else {
    std::thread other([] {
      int* const mine = Make();
      assert(reinterpret_cast<std::uintptr_t>(mine) != freed);
      Free(mine);
    });
    other.join();
  }
}

int main(int, char** argv) {
  block = Make();
  const bool is_freed = std::strcmp(argv[2], "freed") == 0 || std::strcmp(argv[2], "again") == 0;
  freed = reinterpret_cast<std::uintptr_t>(block);
  if (is_freed) Free(block);
  if (std::strcmp(argv[1], "ready") == 0) heddle::Ready();
  Start(argv[2]);
}
