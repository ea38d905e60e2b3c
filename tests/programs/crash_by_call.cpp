// A call of what is no function, in one order only: its place is the call.
// RUN: heddle run --runs=500
// EXPECT: kind=crash, output~null pointer: it is called as a function in Fire at crash_by_call.cpp:20
// RUN: heddle run --runs=500 -- garbage
// EXPECT: kind=crash, output~address 0x12345678: it is called as a function in Fire at crash_by_call.cpp:20
#include <mutex>
#include <thread>

using Handler = void (*)();
std::mutex mutex;
Handler volatile handler = [] {};

__attribute__((noinline)) void Set(Handler to) {
  const std::lock_guard lock(mutex);
  handler = to;
}

__attribute__((noinline)) int Fire() {
  { const std::lock_guard lock(mutex); }
  handler();
  return 1;
}

int main(int argc, char**) {
  std::thread thread([argc] { Set(reinterpret_cast<Handler>(argc > 1 ? 0x12345678UL : 0UL)); });
  const int fired = Fire();
  thread.join();
  return fired - 1;
}
