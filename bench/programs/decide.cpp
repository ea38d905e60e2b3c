// decide FILE THREADS YIELDS: every thread yields so often; each yield is a decision among all.
#include <sched.h>

#include <thread>
#include <vector>

#include "measure.h"

// Only one thread runs at a time, so plain counters do. The first and last parts are left out:
// there not all threads are there.
struct Window {
  long first;
  long last;
  long chunk;
  long count = 0;
  std::uint64_t start = 0;
  Samples samples;

  UNSEEN void Tick() {
    if (++count < first || count > last || (count - first) % chunk != 0) return;
    const std::uint64_t now = Nanoseconds();
    if (start != 0) samples.Add(static_cast<double>(now - start) / static_cast<double>(chunk));
    start = now;
  }
};
Window window;

int main(int, char** argv) {
  const int threads = std::atoi(argv[2]);
  const int yields = std::atoi(argv[3]);
  const long total = static_cast<long>(threads) * yields;
  window.first = total / 5;
  window.last = total * 3 / 5;
  window.chunk = std::max(total / 50, 1l);
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([yields] {
      for (int j = 0; j < yields; ++j) {
        sched_yield();
        window.Tick();
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  Report(argv[1], "decision", &window.samples);
}
