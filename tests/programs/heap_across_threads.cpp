// What one thread allocates another may free.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <cassert>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

std::mutex lock;
std::vector<std::unique_ptr<std::string>> boxes;

void Work(int i) {
  for (int round = 0; round < 3; ++round) {
    auto made = std::make_unique<std::string>(50 + i, static_cast<char>('a' + i));
    const std::lock_guard<std::mutex> hold(lock);
    if (!boxes.empty() && boxes.back()->size() != 50u + i) boxes.pop_back();
    boxes.push_back(std::move(made));
  }
}

int main() {
  std::thread a(Work, 0);
  std::thread b(Work, 1);
  a.join();
  b.join();
  for (const auto& box : boxes) assert(box->size() == 50u + ((*box)[0] - 'a'));
}
