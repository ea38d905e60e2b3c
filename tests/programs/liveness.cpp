// A request that is never answered: hot until it is.
// RUN: heddle run --runs=300
// EXPECT: kind=liveness, any-schedule
// RUN: heddle run --runs=300 -- always
// EXPECT: clean
#include <heddle/heddle.h>

#include <atomic>
#include <thread>

std::atomic<bool> stopping{false};

int main(int argc, char**) {
  const bool always = argc > 1;
  heddle::Hot("request");
  std::thread server([always] {
    if (always || !stopping) heddle::Cold("request");
  });
  stopping = true;
  server.join();
}
