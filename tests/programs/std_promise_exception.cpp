// An exception travels through a promise; a promise that goes unfulfilled is broken.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>
#include <utility>

int main() {
  std::promise<int> promise, broken;
  std::future<int> thrown = promise.get_future(), lost = broken.get_future();
  std::thread thread([promise = std::move(promise), broken = std::move(broken)]() mutable {
    promise.set_exception(std::make_exception_ptr(std::runtime_error("no")));
  });
  try {
    thrown.get();
    assert(false);
  } catch (const std::runtime_error&) {
  }
  try {
    lost.get();
    assert(false);
  } catch (const std::future_error& error) {
    assert(error.code() == std::future_errc::broken_promise);
  }
  thread.join();
}
