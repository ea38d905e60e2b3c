// Programs whose numbers of classes are known by hand, as real threads; every access is relaxed, so
// that it is one event:
//
//   store-buffering       increments N       readers N       fib N
//   philosophers N        left-first N       opposite        failing-readers N
//   cancel                signal
//   await N (threads wait in a loop for a store)             both-fail (two threads, independently)
//   second-behind-first (a thread fails by what another did last before it failed)
//   opposite-behind-first (two threads deadlock, another one fails before it does anything)
//   late-fib N (the same behind 10,000 events of each thread's own)
//   shared N (readers of a read-write lock, one writer)      posts N (semaphore: N post, one waits
//   for all)
#include <heddle/heddle.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
std::atomic<int> x{0}, y{0};
std::atomic<int> i{1}, j{1};
std::mutex forks[16];
std::shared_mutex shared;
sem_t posted;

void RunAll(const std::vector<std::function<void()>>& bodies) {
  std::deque<std::thread> threads;
  for (const auto& body : bodies) threads.emplace_back(body);
  for (std::thread& thread : threads) thread.join();
}

void Eat(int first, int second) {
  const std::scoped_lock one(forks[first]);
  const std::scoped_lock two(forks[second]);
}

// Sent at any time while the other thread stores twice.
void SendTo(const std::string& shape) {
  pthread_t thread;
  struct sigaction action = {};
  action.sa_handler = [](int) { i.store(2, kRelaxed); };
  sigaction(SIGUSR1, &action, nullptr);
  const auto body = [](void*) -> void* {
    x.store(1, kRelaxed);
    pthread_testcancel();
    y.store(1, kRelaxed);
    pthread_testcancel();
    return nullptr;
  };
  pthread_create(&thread, nullptr, body, nullptr);
  shape == "cancel" ? pthread_cancel(thread) : pthread_kill(thread, SIGUSR1);
  pthread_join(thread, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string shape = argv[1];
  const int n = argc > 2 ? std::atoi(argv[2]) : 0;
  std::vector<std::function<void()>> bodies;
  if (shape == "store-buffering") {
    bodies = {[] { x.store(1, kRelaxed), (void)y.load(kRelaxed); },
              [] { y.store(1, kRelaxed), (void)x.load(kRelaxed); }};
  } else if (shape == "increments") {
    const auto add = [n] {
      for (int k = 0; k < n; ++k) {
        const std::scoped_lock lock(forks[0]);
        x.store(x.load(kRelaxed) + 1, kRelaxed);
      }
    };
    bodies = {add, add};
  } else if (shape == "readers") {
    bodies = {[] { x.store(1, kRelaxed); }};
    for (int k = 0; k < n; ++k) bodies.push_back([] { (void)x.load(kRelaxed); });
  } else if (shape == "failing-readers") {
    bodies = {[] { x.store(1, kRelaxed); }};
    for (int k = 0; k < n; ++k) bodies.push_back([] { assert(x.load(kRelaxed) == 0); });
  } else if (shape == "cancel" || shape == "signal") {
    SendTo(shape);
    return 0;
  } else if (shape == "await") {
    bodies = {[] { x.store(1, kRelaxed); }};
    for (int k = 0; k < n; ++k) {
      bodies.push_back([] {
        while (x.load(kRelaxed) == 0) {
        }
      });
    }
  } else if (shape == "shared") {
    bodies = {[] {
      const std::unique_lock lock(shared);
      x.store(1, kRelaxed);
    }};
    for (int k = 0; k < n; ++k) {
      bodies.push_back([] {
        const std::shared_lock lock(shared);
        (void)x.load(kRelaxed);
      });
    }
  } else if (shape == "posts") {
    sem_init(&posted, 0, 0);
    bodies = {[n] {
      for (int k = 0; k < n; ++k) sem_wait(&posted);
    }};
    for (int k = 0; k < n; ++k) bodies.push_back([] { sem_post(&posted); });
  } else if (shape == "both-fail") {
    bodies = {[] { assert(x.load(kRelaxed) == 1 && "the first"); },
              [] { assert(y.load(kRelaxed) == 1 && "the second"); }};
  } else if (shape == "second-behind-first") {
    bodies = {[n] {
                x.store(1, kRelaxed);
                assert(n == 1 && "the first");
              },
              [] { assert(x.load(kRelaxed) == 0 && "the second"); }};
  } else if (shape == "opposite-behind-first") {
    bodies = {[n] { assert(n == 1 && "the first"); },
              [] { const std::scoped_lock first(forks[0]), second(forks[1]); },
              [] { const std::scoped_lock first(forks[1]), second(forks[0]); }};
  } else if (shape == "fib" || shape == "late-fib") {
    const int alone = shape == "fib" ? 0 : 10'000;
    const auto sum = [n, alone](std::atomic<int>& target) {
      std::atomic<int>& own = &target == &i ? x : y;
      for (int k = 0; k < alone; ++k) own.store(k, kRelaxed);
      for (int k = 0; k < n; ++k) {
        const int first = i.load(kRelaxed);
        const int second = j.load(kRelaxed);
        target.store(first + second, kRelaxed);
      }
    };
    bodies = {[sum] { sum(i); }, [sum] { sum(j); }};
  } else if (shape == "philosophers" || shape == "left-first") {
    for (int k = 0; k < n; ++k) {
      const int next = (k + 1) % n;
      const bool swaps = shape == "philosophers" && next < k;
      bodies.push_back([=] { swaps ? Eat(next, k) : Eat(k, next); });
    }
  } else if (shape == "opposite") {
    bodies = {[] { Eat(0, 1); }, [] { Eat(1, 0); }};
  } else {
    return 2;
  }
  RunAll(bodies);
  return 0;
}
