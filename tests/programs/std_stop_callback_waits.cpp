// Destroying a stop callback waits for the call that is under way in another thread.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <optional>
#include <stop_token>
#include <thread>

int main() {
  std::stop_source source;
  std::atomic<bool> begun{false}, ended{false};
  const auto work = [&] {
    begun = true;
    ended = true;
  };
  std::optional<std::stop_callback<decltype(work)>> callback(std::in_place, source.get_token(), work);
  std::thread stopper([&] { source.request_stop(); });
  callback.reset();
  assert(begun == ended);
  stopper.join();
}
