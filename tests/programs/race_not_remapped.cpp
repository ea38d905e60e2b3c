// Memory that is mapped where another mapping was is other memory: nothing done there before races
// with what is done now. While it stays mapped it is the same, and does.
// RUN: heddle run --runs=50
// EXPECT: clean
// RUN: heddle run --runs=50 -- same
// EXPECT: kind=race
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <thread>

constexpr std::size_t kSize = 1 << 16;
std::atomic<int*> place{nullptr};

int* Map(void* where, std::size_t size, int protection) {
  void* const mapped =
      mmap(where, size, protection,
           MAP_PRIVATE | MAP_ANONYMOUS | (where == nullptr ? 0 : MAP_FIXED), -1, 0);
  if (mapped == MAP_FAILED) std::abort();
  return static_cast<int*>(mapped);
}

int main(int argc, char**) {
  const bool stays = argc > 1;
  // Nobody else's memory, a thread's stack for one, fits between what is reserved on either side.
  char* const reserved = reinterpret_cast<char*>(Map(nullptr, 3 * kSize, PROT_NONE));
  std::thread first([&] {
    int* const numbers = Map(reserved + kSize, kSize, PROT_READ | PROT_WRITE);
    numbers[3] = 1;
    if (!stays) munmap(numbers, kSize);
    place.store(numbers, std::memory_order_relaxed);
  });
  std::thread second([&] {
    int* where = nullptr;
    while ((where = place.load(std::memory_order_relaxed)) == nullptr) std::this_thread::yield();
    int* const numbers = stays ? where : Map(where, kSize, PROT_READ | PROT_WRITE);
    numbers[3] = 2;
  });
  first.join();
  second.join();
}
