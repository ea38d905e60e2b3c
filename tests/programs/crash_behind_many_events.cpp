// The stacks of a failure are known, however many stacks of events there are before it.
// RUN: heddle run --runs=20
// EXPECT: kind=crash, any-schedule, output~SIGSEGV, null pointer in Fail at crash_behind_many_events.cpp:13
#include <mutex>
#include <thread>

std::mutex mutex;
int* volatile pointer = nullptr;

__attribute__((noinline)) int Fail() {
  mutex.lock();
  mutex.unlock();
  return *pointer;
}

__attribute__((noinline)) int Deep(int depth) {
  if (depth > 0) return Deep(depth - 1) + (pointer == nullptr ? 0 : 1);
  for (int i = 0; i < 10'000; ++i) const std::lock_guard lock(mutex);
  return Fail();
}

int main() {
  std::thread thread([] { Deep(60); });
  thread.join();
}
