// notify_all_at_thread_exit: the waiter goes on when the thread's locals are gone.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

static bool is_destroyed = false;
struct Local {
  ~Local() { is_destroyed = true; }
};

int main() {
  std::mutex lock;
  std::condition_variable gone;
  bool is_ready = false;
  std::thread thread([&] {
    thread_local Local local;
    (void)&local;
    std::unique_lock<std::mutex> hold(lock);
    is_ready = true;
    std::notify_all_at_thread_exit(gone, std::move(hold));
  });
  {
    std::unique_lock<std::mutex> hold(lock);
    gone.wait(hold, [&] { return is_ready; });
    assert(is_destroyed);
  }
  thread.join();
}
