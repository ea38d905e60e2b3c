// isolation: for every sampler, what a search saw in one process and what it saw in a process for each run.
// Every access is a point from the start, so that both begin with the same points.
#include <heddle/heddle.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace {

std::string Search(const char* strategy, heddle::Isolation isolation) {
  heddle::Options options;
  options.strategy = strategy;
  options.runs = 150;
  options.seed = 7;
  options.isolation = isolation;
  options.on_finding = heddle::kReturn;
  options.points = "all";
  options.races = "off";
  const heddle::Result result = heddle::Explore(options, [] {
    std::atomic<int> count{0};
    int shared = 0;
    std::mutex mutex;
    const auto work = [&](int self) {
      count.fetch_add(1);
      const std::lock_guard guard(mutex);
      shared = shared * 3 + self + count.load();
    };
    std::thread one(work, 1), two(work, 2), three(work, 0);
    one.join();
    two.join();
    three.join();
    heddle::Outcome(std::to_string(shared));
  });
  std::string seen = std::to_string(result.runs) + " runs, " + std::to_string(result.events) +
                     " events, " + std::to_string(result.classes) + " classes" + result.error;
  for (const auto& [outcome, count] : result.outcomes) {
    seen += ", " + outcome + ": " + std::to_string(count);
  }
  return seen;
}

}  // namespace

int main(int count, char** samplers) {
  for (int i = 1; i < count; ++i) {
    std::printf("%s\n%s\n", Search(samplers[i], heddle::kBatch).c_str(),
                Search(samplers[i], heddle::kProcess).c_str());
  }
}
