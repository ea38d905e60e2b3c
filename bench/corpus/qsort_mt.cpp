// A parallel quicksort: workers take ranges from a shared list, and the one that finishes the last
// range ends everything. A worker gives up its range before it has added the two halves.
// (after the bug class of SCTBench's qsort_mt)
#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

int numbers[] = {5, 3, 7, 1};
constexpr int kCount = 4;

struct Range {
  int begin, end;
};

std::mutex lock;
std::condition_variable changed;
std::vector<Range> ranges = {{0, kCount}};
int open = 1;  // ranges that are listed or worked on

void Work() {
  std::unique_lock guard(lock);
  while (true) {
    changed.wait(guard, [] { return !ranges.empty() || open == 0; });
    if (ranges.empty()) return;
    const Range range = ranges.back();
    ranges.pop_back();
    guard.unlock();
    int middle = range.begin;
    if (range.end - range.begin > 1) {
      const int pivot = numbers[range.end - 1];
      for (int i = range.begin; i < range.end - 1; ++i) {
        if (numbers[i] < pivot) std::swap(numbers[i], numbers[middle++]);
      }
      std::swap(numbers[middle], numbers[range.end - 1]);
    }
    guard.lock();
#ifndef FIXED
    if (--open == 0) changed.notify_all();
    guard.unlock();
    guard.lock();
#endif
    if (middle - range.begin > 1) {
      ranges.push_back({range.begin, middle});
      ++open;
    }
    if (range.end - middle - 1 > 1) {
      ranges.push_back({middle + 1, range.end});
      ++open;
    }
#ifdef FIXED
    --open;
#endif
    changed.notify_all();
  }
}

int main() {
  std::thread one(Work), other(Work);
  {
    std::unique_lock guard(lock);
    changed.wait(guard, [] { return open == 0; });
    assert(std::is_sorted(numbers, numbers + kCount));
  }
  one.join();
  other.join();
}
