// Boost.Thread: thread groups, interruption, a shared mutex, a barrier, a future, a bounded queue.
// -DLOST: a notification that may come before the wait.
#define BOOST_THREAD_VERSION 4
#include <boost/thread.hpp>
#include <boost/thread/barrier.hpp>
#include <boost/thread/future.hpp>
#include <boost/thread/sync_bounded_queue.hpp>
#include <cassert>

int main() {
  boost::sync_bounded_queue<int> queue(2);
  boost::shared_mutex mutex;
  boost::barrier both(2);
  int sum = 0;
  boost::thread producer([&] {
    for (int i = 1; i <= 3; ++i) queue.push_back(i);
    both.wait();
  });
  boost::thread consumer([&] {
    for (int i = 0; i < 3; ++i) {
      const int value = queue.pull_front();
      const boost::unique_lock<boost::shared_mutex> lock(mutex);
      sum += value;
    }
    both.wait();
  });
  {
    const boost::shared_lock<boost::shared_mutex> lock(mutex);
    assert(sum <= 6);
  }
  producer.join();
  consumer.join();
  assert(sum == 6);

  boost::promise<int> promise;
  boost::future<int> future = promise.get_future();
  boost::thread setter([&] { promise.set_value(5); });
  assert(future.get() == 5);
  setter.join();

  // An interruption ends a wait.
  boost::mutex plain;
  boost::condition_variable changed;
  bool interrupted = false, ready = false;
  boost::thread sleeper([&] {
    try {
      boost::unique_lock<boost::mutex> lock(plain);
#ifdef LOST
      changed.wait(lock);
#else
      while (!ready) changed.wait(lock);
#endif
    } catch (const boost::thread_interrupted&) {
      interrupted = true;
    }
  });
#ifdef LOST
  changed.notify_one();
#else
  sleeper.interrupt();
#endif
  sleeper.join();
#ifndef LOST
  assert(interrupted || !ready);
#endif
}
