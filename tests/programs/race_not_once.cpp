// What an initialiser wrote, in a static local or under call_once, is seen by all who pass.
// RUN: heddle run --runs=500
// EXPECT: clean
#include <mutex>
#include <thread>

struct Table {
  int values[4];
  Table() : values{1, 2, 3, 4} {}
};

Table& Instance() {
  static Table table;
  return table;
}

std::once_flag flag;
int prepared = 0;

int main() {
  const auto use = [] {
    std::call_once(flag, [] { prepared = 7; });
    if (Instance().values[3] != 4 || prepared != 7) __builtin_abort();
  };
  std::thread a(use);
  std::thread b(use);
  use();
  a.join();
  b.join();
}
