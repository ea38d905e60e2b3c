// repetition TIMES SAMPLER...: searches the same bodies again and again, in one process for many
// runs and in a process for each run in turn; prints for every body and sampler what was seen
// first, and complains where a repetition saw something else.
#include <heddle/heddle.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace {

void Tiny() {
  std::atomic<int> value{1};
  std::thread other([&] { value.store(value.load() * 3); });
  value.store(value.load() + 1);
  other.join();
  heddle::Outcome(std::to_string(value.load()));
}

// Producers, consumers and one that gives up waiting: locks, conditions, time-outs, plain data.
void MidSize() {
  std::mutex mutex;
  std::condition_variable filled;
  std::atomic<int> order{0};
  int queued = 0, taken = 0, trail = 0;
  const auto produce = [&](int self) {
    for (int i = 0; i < 2; ++i) {
      const std::lock_guard guard(mutex);
      ++queued;
      trail = trail * 3 + self;
      filled.notify_one();
    }
    order.store(order.load() * 2 + self);
  };
  const auto consume = [&] {
    std::unique_lock lock(mutex);
    filled.wait_for(lock, std::chrono::milliseconds(5), [&] { return queued > 0; });
    if (queued > 0) --queued, ++taken;
  };
  std::thread threads[] = {std::thread(produce, 1), std::thread(produce, 2), std::thread(consume),
                           std::thread(consume)};
  for (std::thread& thread : threads) thread.join();
  heddle::Outcome(std::to_string(trail) + "/" + std::to_string(taken) + "/" +
                  std::to_string(order.load()));
}

std::string Search(void (*body)(), const char* strategy, heddle::Isolation isolation) {
  heddle::Options options;
  options.strategy = strategy;
  options.runs = 8;
  options.seed = 11;
  options.isolation = isolation;
  options.on_finding = heddle::kReturn;
  options.points = "all";  // so that both kinds of process begin with the same points
  options.races = "off";
  const heddle::Result result = heddle::Explore(options, body);
  std::string seen = std::to_string(result.runs) + " runs, " + std::to_string(result.events) +
                     " events, " + std::to_string(result.classes) + " classes" + result.error;
  for (const auto& [outcome, count] : result.outcomes) {
    seen += ", " + outcome + ": " + std::to_string(count);
  }
  return seen;
}

}  // namespace

int main(int count, char** arguments) {
  const int times = std::atoi(arguments[1]);
  int differences = 0;
  for (const auto body : {Tiny, MidSize}) {
    for (int sampler = 2; sampler < count; ++sampler) {
      std::string first;
      for (int i = 0; i < times; ++i) {
        // A process for each run takes many times as long.
        const bool forks = i % 5 == 4;
        const std::string seen =
            Search(body, arguments[sampler], forks ? heddle::kProcess : heddle::kBatch);
        if (i == 0) std::printf("%s\n", (first = seen).c_str());
        if (seen == first) continue;
        std::printf("DIFFERS %s, repetition %d: %s\n", arguments[sampler], i, seen.c_str());
        ++differences;
      }
    }
  }
  return differences == 0 ? 0 : 1;
}
