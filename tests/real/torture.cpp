// Everything that is hard for a scheduler of foreign stacks, at once: many threads, deep recursion,
// exceptions that cross switches, thread_local objects with destructors, stdio from all threads,
// and memory that one thread allocates and another frees.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

constexpr int kThreads = 200;
constexpr int kFrames = 2000;

std::atomic<int> alive{0};
std::mutex shelf_mutex;
std::vector<std::unique_ptr<std::string>> shelf;

struct Resident {
  explicit Resident(int number) : name(std::to_string(number)) { alive.fetch_add(1); }
  ~Resident() { alive.fetch_sub(1); }
  std::string name;
};

// One thread hands memory over; another one frees it.
std::unique_ptr<std::string> Exchange(std::unique_ptr<std::string> mine) {
  const std::lock_guard<std::mutex> lock(shelf_mutex);
  shelf.push_back(std::move(mine));
  if (shelf.size() < 8) return nullptr;
  std::unique_ptr<std::string> oldest = std::move(shelf.front());
  shelf.erase(shelf.begin());
  return oldest;
}

struct CountsUnwinding {
  int* unwound;
  ~CountsUnwinding() { ++*unwound; }
};

[[gnu::noinline]] int Descend(int frames, int number, int* unwound) {
  const CountsUnwinding counts{unwound};
  volatile char padding[32] = {static_cast<char>(frames)};
  if (frames % 500 == 0) std::this_thread::yield();  // other stacks are as deep at the same time
  if (frames == 0) throw std::runtime_error(std::to_string(number));
  return Descend(frames - 1, number, unwound) + padding[0];
}

void Live(int number) {
  thread_local Resident resident(number);
  int unwound = 0;
  try {
    Descend(kFrames, number, &unwound);
    assert(false && "nothing was thrown");
  } catch (const std::runtime_error& error) {
    std::this_thread::yield();  // the exception is alive while others throw theirs
    assert(std::to_string(number) == error.what());
    try {
      throw;
    } catch (const std::exception& same) {
      assert(&same == &error);
    }
  }
  assert(unwound == kFrames + 1);
  assert(resident.name == std::to_string(number));
  std::printf("%d ", number);
  std::fprintf(stderr, "%s ", resident.name.c_str());
  const auto given = Exchange(std::make_unique<std::string>(100, char('a' + number % 26)));
  assert(given == nullptr || given->size() == 100);
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(Live, i);
  for (std::thread& thread : threads) thread.join();
  assert(alive == 0);
  std::puts("all are home");
}
