// A pointer to a local variable of a function that has returned, used by the same thread; pointers
// into frames that are still there, to memory from alloca, and across longjmp are right.
// RUN: heddle run --runs=50 -- atomic
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --runs=50 -- mutex
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --runs=50 -- read
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --runs=50 -- write
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --runs=50 -- copy
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --runs=50 -- right
// EXPECT: clean
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

namespace {

struct Frame {
  int numbers[16];
  std::atomic<int> count;
  std::mutex mutex;
  char more[512];  // where the frames of later calls may lie
};
Frame* volatile kept;
Frame copied;

[[gnu::noinline]] void Keep() {
  Frame frame = {};
  frame.numbers[3] = 1;
  kept = &frame;
}

// Instructions that were right before.
[[gnu::noinline]] int Read(const Frame* frame) { return frame->numbers[3]; }
[[gnu::noinline]] void Write(Frame* frame) { frame->numbers[3] = 2; }
[[gnu::noinline]] void Copy(Frame* to, const Frame* from) {
  std::memcpy(to->numbers, from->numbers, sizeof to->numbers);
}

[[gnu::noinline]] void UseOwn() {
  Frame own = {};
  for (int i = 0; i < 3; ++i) {
    copied.numbers[0] += Read(&own);
    Write(&own);
    Copy(&own, &copied);
    Copy(&copied, &own);
  }
}

[[gnu::noinline]] int Use(const std::string& how) {
  Frame* const frame = kept;
  if (how == "read") return Read(frame);
  if (how == "write") Write(frame);
  if (how == "copy") Copy(&copied, frame);
  if (how == "atomic") return frame->count.load();
  if (how == "mutex") {
    frame->mutex.lock();
  }
  return 0;
}

[[gnu::noinline]] int Sum(const int* numbers, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += numbers[i];
  return sum;
}

[[gnu::noinline]] int WithAlloca(int count) {
  auto* const numbers = static_cast<int*>(alloca(static_cast<std::size_t>(count) * sizeof(int)));
  for (int i = 0; i < count; ++i) numbers[i] = i;
  return Sum(numbers, count);
}

[[gnu::noinline]] int Deep(int depth, int* up) {
  int here = depth;
  *up += here;
  return depth == 0 ? 0 : Deep(depth - 1, &here) + here;
}

thread_local jmp_buf back;
[[gnu::noinline]] void Jump(int* up) {
  int here[8] = {1};
  *up += Sum(here, 8);
  longjmp(back, 1);
}

thread_local int in_handler = 0;
void Handle(int) {
  int here[4] = {1, 2, 3, 4};
  in_handler = Sum(here, 4);
}

[[gnu::noinline]] void DoRight() {
  int local = 0;
  assert(WithAlloca(100) == 4950);
  assert(Deep(10, &local) > 0);
  volatile int count = 0;
  if (setjmp(back) == 0) Jump(&local);
  for (int i = 0; i < 3; ++i) count = count + i;
  char* const other = static_cast<char*>(std::malloc(65536));
  stack_t stack = {};
  stack.ss_sp = other;
  stack.ss_size = 65536;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = Handle;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  raise(SIGUSR1);
  assert(in_handler == 10);
  std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::atomic<int> number{local};
  ++number;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  std::thread other([&how] {
    if (how == "right") return DoRight();
    UseOwn();
    Keep();
    copied.numbers[0] += Use(how);
  });
  if (how == "right") DoRight();
  other.join();
}
