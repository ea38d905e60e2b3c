// Ordinary work of several kinds, timed: what a program built for heddle costs when nobody looks.
// Prints a line per kind: name, nanoseconds per operation.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <queue>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

std::uint32_t Random() {
  static std::uint32_t state = 12345;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

// The best of several rounds: the machine may be busy.
template <typename Work>
void Time(const char* name, int operations, Work work) {
  double best = 1e300;
  for (int round = 0; round < 7; ++round) {
    const auto start = Clock::now();
    work(operations);
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  std::printf("%s %.3f\n", name, best / operations);
}

std::uint64_t sink;

struct Node {
  int value;
  std::unique_ptr<Node> next;
};

}  // namespace

int main() {
  std::vector<int> numbers(100'000);
  for (int& number : numbers) number = static_cast<int>(Random());

  Time("sum", 2'000'000, [&](int n) {
    for (int i = 0; i < n; ++i)
      sink += static_cast<unsigned>(numbers[static_cast<unsigned>(i) % 65536]);
  });
  Time("sort", 100'000, [&](int) {
    std::vector<int> copy = numbers;
    std::sort(copy.begin(), copy.end());
    sink += static_cast<unsigned>(copy[7]);
  });
  Time("map", 50'000, [&](int n) {
    std::map<int, int> map;
    for (int i = 0; i < n; ++i) map[numbers[static_cast<unsigned>(i)]] += i;
    sink += map.size();
  });
  Time("unordered_map", 100'000, [&](int n) {
    std::unordered_map<int, int> map;
    for (int i = 0; i < n; ++i) map[numbers[static_cast<unsigned>(i)] & 0xffff] += i;
    sink += map.size();
  });
  Time("strings", 20'000, [&](int n) {
    std::string text;
    for (int i = 0; i < n; ++i) {
      text += "item ";
      text += std::to_string(i);
      if (text.size() > 4096) text.erase(0, 2048);
    }
    sink += text.size();
  });
  Time("stream", 20'000, [&](int n) {
    std::ostringstream out;
    for (int i = 0; i < n; ++i) out << i << ' ' << numbers[static_cast<unsigned>(i)] << '\n';
    sink += out.str().size();
  });
  Time("memcpy", 200'000, [&](int n) {
    char from[256] = {};
    char to[256];
    for (int i = 0; i < n; ++i) {
      std::memcpy(to, from, 64 + static_cast<unsigned>(i) % 128);
      from[i & 255] = to[7];
    }
    sink += static_cast<unsigned>(from[9]);
  });
  Time("list", 50'000, [&](int n) {
    std::unique_ptr<Node> head;
    for (int i = 0; i < n; ++i) head = std::make_unique<Node>(Node{i, std::move(head)});
    for (Node* node = head.get(); node != nullptr; node = node->next.get()) {
      sink += static_cast<unsigned>(node->value);
    }
    while (head) head = std::move(head->next);
  });
  Time("matrix", 64 * 64 * 64, [&](int) {
    static double a[64][64], b[64][64], c[64][64];
    for (int i = 0; i < 64; ++i) {
      for (int k = 0; k < 64; ++k) {
        for (int j = 0; j < 64; ++j) c[i][j] += a[i][k] * b[k][j];
      }
    }
    sink += static_cast<std::uint64_t>(c[3][5]);
  });
  Time("mutex", 200'000, [&](int n) {
    std::mutex mutex;
    int counter = 0;
    for (int i = 0; i < n; ++i) {
      const std::lock_guard<std::mutex> lock(mutex);
      ++counter;
    }
    sink += static_cast<unsigned>(counter);
  });
  Time("atomic", 500'000, [&](int n) {
    std::atomic<int> counter{0};
    for (int i = 0; i < n; ++i) counter.fetch_add(1, std::memory_order_relaxed);
    sink += static_cast<unsigned>(counter.load());
  });
  Time("queue", 50'000, [&](int n) {
    std::queue<int> queue;
    std::mutex mutex;
    std::thread producer([&] {
      for (int i = 0; i < n; ++i) {
        const std::lock_guard<std::mutex> lock(mutex);
        queue.push(i);
      }
    });
    for (int taken = 0; taken < n;) {
      const std::lock_guard<std::mutex> lock(mutex);
      while (!queue.empty()) {
        sink += static_cast<unsigned>(queue.front());
        queue.pop();
        ++taken;
      }
    }
    producer.join();
  });
  return sink == 42 ? 1 : 0;
}
