// Programs whose numbers of classes are known, searched inside the test process by heddle::Explore.
//
//   library_counts SHAPE N SECONDS        SHAPE: readers, fib
//
// Prints one line of JSON.
#include <heddle/heddle.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// One store against one load in each of n threads.
void Readers(int n) {
  std::atomic<int> x{0};
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(n) + 1);
  threads.emplace_back([&x] { x.store(1, kRelaxed); });
  for (int k = 0; k < n; ++k) threads.emplace_back([&x] { (void)x.load(kRelaxed); });
  for (std::thread& thread : threads) thread.join();
}

// Two threads, n rounds each: load both, store the sum to one's own.
void Fib(int n) {
  std::atomic<int> i{1}, j{1};
  const auto sum = [n, &i, &j](std::atomic<int>& target) {
    for (int k = 0; k < n; ++k) {
      const int first = i.load(kRelaxed);
      const int second = j.load(kRelaxed);
      target.store(first + second, kRelaxed);
    }
  };
  std::thread one([&] { sum(i); });
  std::thread other([&] { sum(j); });
  one.join();
  other.join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string shape = argv[1];
  const int n = std::atoi(argv[2]);
  const auto started = std::chrono::steady_clock::now();
  const heddle::Result result = heddle::Explore({.strategy = "optimal-dpor",
                                                 .runs = 1'000'000'000,
                                                 .time = argv[3],
                                                 .on_finding = heddle::kReturn},
                                                [&] { shape == "fib" ? Fib(n) : Readers(n); });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  std::printf(
      "{\"runs\": %llu, \"blocked_runs\": %llu, \"classes\": %llu, \"complete\": %s, "
      "\"seconds\": %.3f}\n",
      static_cast<unsigned long long>(result.runs),
      static_cast<unsigned long long>(result.blocked_runs),
      static_cast<unsigned long long>(result.classes), result.complete ? "true" : "false",
      took.count());
  if (!result.error.empty()) std::fprintf(stderr, "%s\n", result.error.c_str());
  return result.ok() ? 0 : 1;
}
