// Destroying a joinable thread terminates.
// RUN: heddle run --runs=50
// EXPECT: kind=crash, any-schedule, output~SIGABRT
#include <thread>

int main() {
  std::thread forgotten([] {});
}
