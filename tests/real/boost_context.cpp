// Stacks of the program's own (Boost.Context): two threads, each with two fibers that take turns,
// and share a counter with the other thread. With -DRACY a fiber gives up its turn inside the
// update.
#include <atomic>
#include <boost/context/fiber.hpp>
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

namespace ctx = boost::context;

constexpr int kRounds = 3;
std::mutex mutex;
std::atomic<int> counter = 0;

ctx::fiber Add(ctx::fiber&& caller) {
  for (int i = 0; i < kRounds; ++i) {
#ifdef RACY
    const int seen = counter;
    caller = std::move(caller).resume();
    counter = seen + 1;
#else
    {
      const std::lock_guard lock(mutex);
      counter = counter + 1;
    }
    caller = std::move(caller).resume();
#endif
    try {  // unwinds on this stack
      if (i == 1) throw std::runtime_error("caught here");
    } catch (const std::runtime_error&) {
    }
  }
  return std::move(caller);
}

void Run() {
  ctx::fiber one{Add};
  for (int i = 0; i <= kRounds; ++i) one = std::move(one).resume();
  assert(!one);
}

}  // namespace

int main() {
  std::thread first(Run), second(Run);
  first.join();
  second.join();
  assert(counter == 2 * kRounds);
}
