// Says how many kernel threads there are while three of its own wait, and does a little of
// everything.
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

thread_local std::string name = "nobody";

}  // namespace

int main(int argc, char** argv) {
  std::mutex mutex;
  std::condition_variable changed;
  int waiting = 0;
  bool go = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      name = "thread " + std::to_string(i);
      std::unique_lock<std::mutex> lock(mutex);
      ++waiting;
      changed.notify_all();
      changed.wait(lock, [&] { return go; });
    });
  }
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return waiting == 3; });
  }
  int kernel_threads = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    ++kernel_threads;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex);
    go = true;
  }
  changed.notify_all();
  for (std::thread& thread : threads) thread.join();

  try {
    std::async(std::launch::async, [] { throw std::runtime_error("thrown"); }).get();
  } catch (const std::exception& error) {
    std::printf("%s by %s, %d kernel threads, %d arguments\n", error.what(), name.c_str(),
                kernel_threads, argc);
  }
  for (int i = 1; i < argc; ++i) std::puts(argv[i]);
  return 7;
}
