// Threads that ask again and again instead of waiting let the others go on, under any strategy: a
// run needs no step limit to end.
// RUN: heddle run --strategy=pct --runs=100 --max-steps=20000 -- sem_trywait
// EXPECT: clean, ends
// RUN: heddle run --strategy=pct --runs=100 --max-steps=20000 -- sem_getvalue
// EXPECT: clean, ends
// RUN: heddle run --strategy=pct --runs=100 --max-steps=20000 -- try_acquire
// EXPECT: clean, ends
// RUN: heddle run --strategy=pct --runs=100 --max-steps=20000 -- try_lock_shared
// EXPECT: clean, ends
// RUN: heddle run --strategy=pct --runs=100 --max-steps=20000 -- poll
// EXPECT: clean, ends
// RUN: heddle run --strategy=pct --runs=100 --max-steps=20000 -- read
// EXPECT: clean, ends
// RUN: heddle run --strategy=pct --runs=100 --max-steps=20000 -- epoll_wait
// EXPECT: clean, ends
// RUN: heddle run --strategy=pct --runs=100 --max-steps=20000 -- wait_for
// EXPECT: clean, ends
// RUN: heddle run --strategy=pct --runs=100 --max-steps=20000 -- sleep_for
// EXPECT: clean, ends
// RUN: heddle run --strategy=optimal-dpor -- sem_trywait
// EXPECT: clean, ends, complete, classes=1
// RUN: heddle run --strategy=dfs -- sem_getvalue
// EXPECT: clean, ends, complete, classes=1
// RUN: heddle run --strategy=dfs --runs=100 --max-steps=20000 -- poll
// EXPECT: clean, ends
// RUN: heddle run --strategy=optimal-dpor --runs=100 --max-steps=20000 -- epoll_wait
// EXPECT: clean, ends
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>

using namespace std::chrono_literals;

int main(int, char** argv) {
  const std::string how = argv[1];
  sem_t posted;
  sem_init(&posted, 0, 0);
  std::counting_semaphore<4> released(0);
  std::shared_mutex held;
  held.lock();
  int ends[2];
  if (pipe2(ends, O_NONBLOCK) != 0) std::abort();
  const int always_ready = eventfd(1, 0);
  const int set = epoll_create1(0);
  epoll_event watched{.events = EPOLLIN, .data = {}};
  epoll_ctl(set, EPOLL_CTL_ADD, always_ready, &watched);
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  const auto is_done = [&] {
    const std::lock_guard lock(mutex);
    return done;
  };

  std::thread waiter([&] {
    int value = 0;
    char byte = 0;
    pollfd input{.fd = ends[0], .events = POLLIN, .revents = 0};
    if (how == "sem_trywait") {
      while (sem_trywait(&posted) != 0) continue;
    } else if (how == "sem_getvalue") {
      while (sem_getvalue(&posted, &value) == 0 && value == 0) continue;
    } else if (how == "try_acquire") {
      while (!released.try_acquire()) continue;
    } else if (how == "try_lock_shared") {
      while (!held.try_lock_shared()) continue;
      held.unlock_shared();
    } else if (how == "poll") {
      while (poll(&input, 1, 0) == 0) continue;
    } else if (how == "read") {
      while (read(ends[0], &byte, 1) < 0 && errno == EAGAIN) continue;
    } else if (how == "epoll_wait") {
      do {
        epoll_event ready;
        if (epoll_wait(set, &ready, 1, -1) != 1) std::abort();
      } while (!is_done());
    } else if (how == "wait_for") {
      std::unique_lock lock(mutex);
      while (!done) changed.wait_for(lock, 1ms);
    } else if (how == "sleep_for") {
      while (!is_done()) std::this_thread::sleep_for(1ms);
    }
  });
  // A loop of its own beside it: it comes round often, too, and asks nobody.
  for (int i = 0; i < 50; ++i) {
    const std::lock_guard lock(mutex);
    done = i == 49;
  }
  changed.notify_all();
  sem_post(&posted);
  released.release();
  held.unlock();
  if (write(ends[1], "x", 1) != 1) std::abort();
  waiter.join();
}
