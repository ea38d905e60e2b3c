// pos_example FILE RUNS STRATEGY SEED: Fig. 2 of Yuan, Yang, Gu (CAV 2018) inside heddle::Explore:
// how many runs show the bug. Every statement is one event; both threads start at once.
#include <heddle/heddle.h>
#include <semaphore.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "measure.h"

int main(int, char** argv) {
  heddle::Options options;
  options.runs = std::strtoull(argv[2], nullptr, 10);
  options.strategy = argv[3];
  options.seed = std::strtoull(argv[4], nullptr, 10);
  options.time = "1h";
  const std::uint64_t began = Nanoseconds();
  const heddle::Result result = heddle::Explore(options, [] {
    std::atomic<int> x = 0, y = 0, z = 0;
    sem_t w;
    sem_init(&w, 0, 0);
    bool shows = false;
    heddle::Concurrently(
        [&] {
          x.fetch_add(1);
          y.fetch_add(1);
          sem_post(&w);
          shows = z.load() >= 5;
        },
        [&] {
          x.store(1);
          const int a = x.load();
          y.store(a);
          sem_wait(&w);
          const int b = y.load();
          z.store(a + b);
        });
    sem_destroy(&w);
    heddle::Outcome(shows ? "shown" : "hidden");
  });
  const double seconds = static_cast<double>(Nanoseconds() - began) / 1e9;
  double counted = 0;
  double shown = 0;
  for (const auto& [outcome, count] : result.outcomes) {
    counted += static_cast<double>(count);
    if (outcome == "shown") shown = static_cast<double>(count);
  }
  Report(argv[1], "runs", counted, counted);
  Report(argv[1], "shown", shown, shown);
  Report(argv[1], "classes", static_cast<double>(result.classes), 0);
  Report(argv[1], "seconds", seconds, seconds);
}
