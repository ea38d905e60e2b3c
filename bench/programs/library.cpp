// library FILE RUNS STRATEGY ROUNDS: what a run costs inside heddle::Explore, by the body's own
// clock.
//
// Two threads with four accesses, a lock and an unlock each, ROUNDS times; every access is a
// scheduling point.
#include <heddle/heddle.h>
#include <sys/mman.h>

#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "measure.h"

namespace {

constexpr std::uint64_t kChunk = 200;

// In memory that the bodies share with the test: they run in other processes.
struct Shared {
  std::uint64_t runs = 0;
  std::uint64_t started = 0;
  Samples samples;
};
Shared* shared = nullptr;

UNSEEN void CountRun() {
  if (shared->runs++ % kChunk != 0) return;
  const std::uint64_t now = Nanoseconds();
  if (shared->started != 0)
    shared->samples.Add(static_cast<double>(now - shared->started) / kChunk);
  shared->started = now;
}

}  // namespace

int main(int, char** argv) {
  shared = static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const int rounds = std::atoi(argv[4]);
  heddle::Options options;
  options.runs = std::strtoull(argv[2], nullptr, 10);
  options.strategy = argv[3];
  options.time = "120s";
  const heddle::Result result = heddle::Explore(options, [rounds] {
    CountRun();
    int numbers[4] = {};
    std::mutex mutex;
    const auto touch = [&] {
      for (int i = 0; i < rounds; ++i) {
        mutex.lock();
        for (int& number : numbers) number = i;
        mutex.unlock();
      }
    };
    std::thread one(touch);
    std::thread two(touch);
    one.join();
    two.join();
  });
  const double events = static_cast<double>(result.events) / static_cast<double>(result.runs);
  Report(argv[1], "run", &shared->samples);
  Report(argv[1], "events", events, events);
}
