// Ordinary mutexes and condition variables are the same model; what it does not cover is said.
// RUN: heddle run --strategy=reachability -- mutex
// EXPECT: clean, complete, output~6 SYN-sequences
// RUN: heddle run --strategy=reachability -- try
// EXPECT: clean, output~does not cover a trylock
// RUN: heddle run --strategy=reachability -- wait
// EXPECT: clean, complete, output~2 SYN-sequences
#include <heddle/heddle.h>

#include <condition_variable>
#include <mutex>
#include <string>

namespace {

std::mutex mutex;
std::condition_variable ready;
int count = 0;

void Add() {
  const std::lock_guard<std::mutex> lock(mutex);
  ++count;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "mutex";
  if (what == "mutex") {
    heddle::Concurrently(Add, Add, Add);
    HEDDLE_ASSERT(count == 3);
  } else if (what == "try") {
    heddle::Concurrently(Add, [] {
      if (!mutex.try_lock()) return;
      ++count;
      mutex.unlock();
    });
  } else {
    heddle::Concurrently(
        [] {
          std::unique_lock<std::mutex> lock(mutex);
          ready.wait(lock, [] { return count > 0; });
        },
        [] {
          Add();
          ready.notify_one();
        });
  }
  return 0;
}
