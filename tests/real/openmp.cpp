// Parallel regions of OpenMP, in a whole program and in the body of an Explore.
#include <heddle/heddle.h>

#include <cassert>
#include <cstdio>
#include <cstring>
#include <thread>

namespace {

int Sum() {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += i;
  return sum;
}

void Body() {
  int sums[2] = {};
  heddle::Concurrently([&] { sums[0] = Sum(); }, [&] { sums[1] = Sum(); });
  HEDDLE_ASSERT(sums[0] == 4950 && sums[1] == 4950);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "explore") == 0) {
    assert(Sum() == 4950);  // starts OpenMP's own threads
    const heddle::Result result = heddle::Explore({.strategy = "dfs", .runs = 100}, Body);
    std::printf("%s\n%s", result.complete ? "exhausted" : "cut off", result.Summary().c_str());
    return result.ok() ? 0 : 1;
  }
  std::thread other([] { assert(Sum() == 4950); });
  assert(Sum() == 4950);
  other.join();
}
