// heddle for tests: search the schedules of a body, start functions at once, assert; under heddle
// or natively.
//
//   heddle::Concurrently([&] { account.Deposit(10); }, [&] { account.Deposit(10); });
//   HEDDLE_ASSERT(account.balance() == 20);
//
// The same code runs natively in a program that is not run by heddle.
#ifndef HEDDLE_HEDDLE_H_
#define HEDDLE_HEDDLE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>

#include "heddle/explore.h"

extern "C" {
void heddle_allocated(const void* pointer, std::size_t size) __attribute__((weak));
void heddle_freed(const void* pointer) __attribute__((weak));
void heddle_set_hot(const char* name, int is_hot) __attribute__((weak));
// The C library's; a failed HEDDLE_ASSERT is an assertion, also under NDEBUG.
void __assert_fail(const char* expression, const char* file, unsigned int line,
                   const char* function) noexcept __attribute__((noreturn));
}

#define HEDDLE_ASSERT(condition) \
  ((condition) ? void() : ::__assert_fail(#condition, __FILE__, __LINE__, __func__))

namespace heddle {

// Under `heddle run` every run begins here, as a copy of the process after whatever set-up came
// before: costly work is done once for all runs. Nothing otherwise, nor when the program has
// started a thread already.
inline void Ready() {
  if (heddle_ready != nullptr) heddle_ready();
}

// For allocators and pools of the program's own: their blocks get the checks of malloc's. A block
// is Allocated when it is handed out, and Freed when it is given back; touching it in between is a
// use after free.
inline void Allocated(const void* pointer, std::size_t size) {
  if (IsScheduling()) heddle_allocated(pointer, size);
}
inline void Freed(const void* pointer) {
  if (IsScheduling()) heddle_freed(pointer);
}

// Something that must happen in the end: from Hot to Cold it has not. A run that ends while `name`
// is hot violates liveness.
inline void Hot(const char* name) {
  if (IsScheduling()) heddle_set_hot(name, 1);
}
inline void Cold(const char* name) {
  if (IsScheduling()) heddle_set_hot(name, 0);
}

// Runs every function in a thread of its own and returns when all have returned. All are released
// at once: none does anything before the last is ready. Under heddle it adds no events beside
// create, start, exit and join, none of which branches: the schedules explored are exactly the
// interleavings of the functions.
template <typename... Functions>
void Concurrently(Functions&&... functions) {
  if (IsScheduling()) {
    // New threads wait at their first operation; joining is the first thing that lets them go on.
    std::array<std::thread, sizeof...(Functions)> threads = {
        std::thread(std::forward<Functions>(functions))...};
    for (std::thread& thread : threads) thread.join();
    return;
  }
  std::atomic<std::size_t> ready{0};
  const auto wait_for_all = [&ready] {
    ready.fetch_add(1);
    while (ready.load() < sizeof...(Functions)) std::this_thread::yield();
  };
  std::array<std::thread, sizeof...(Functions)> threads = {std::thread([&wait_for_all, &functions] {
    wait_for_all();
    functions();
  })...};
  for (std::thread& thread : threads) thread.join();
}

}  // namespace heddle

#endif  // HEDDLE_HEDDLE_H_
