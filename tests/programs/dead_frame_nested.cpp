// A coroutine whose stack is an array in a frame of its thread: while it runs, what its thread's
// inner frames hold lies below the stack pointer and is in use nevertheless.
// RUN: heddle run --runs=50 -- own
// EXPECT: clean
// RUN: heddle run --runs=50 -- other
// EXPECT: clean
// RUN: heddle run --strategy=dfs --runs=50 -- own
// EXPECT: clean
#include <ucontext.h>

#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

namespace {

thread_local ucontext_t outside, inside;
thread_local std::atomic<int>* counter;
std::atomic<std::atomic<int>*> shared{nullptr};
std::atomic<bool> used{false};

void Body() {
  for (int i = 0; i < 3; ++i) {
    counter->fetch_add(i);
    swapcontext(&inside, &outside);
  }
}

// Waits on the coroutine's stack.
void BodyThatWaits() {
  shared = counter;
  while (!used) std::this_thread::yield();
  swapcontext(&inside, &outside);
}

[[gnu::noinline]] int Resume(int times) {
  std::atomic<int> here{0};
  counter = &here;
  for (int i = 0; i < times; ++i) swapcontext(&outside, &inside);
  return here;
}

int OnArray(void (*body)(), int times) {
  char stack[65536];
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  inside.uc_link = &outside;
  makecontext(&inside, body, 0);
  return Resume(times);
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_other = argc > 1 && std::strcmp(argv[1], "other") == 0;
  std::thread thread([is_other] {
    if (is_other) {
      assert(OnArray(BodyThatWaits, 1) == 7);
    } else {
      assert(OnArray(Body, 3) == 3);
    }
  });
  if (is_other) {
    while (shared.load() == nullptr) std::this_thread::yield();
    *shared.load() += 7;
    used = true;
  } else {
    assert(OnArray(Body, 3) == 3);
  }
  thread.join();
}
