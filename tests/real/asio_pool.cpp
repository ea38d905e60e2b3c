// Boost.Asio's thread_pool, unchanged. With -DRACY the tasks share a plain counter.
#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cassert>

#ifdef RACY
using Counter = int;
#else
using Counter = std::atomic<int>;
#endif

int main() {
  constexpr int kTasks = 4;
  Counter done{0};
  boost::asio::thread_pool pool(2);
  for (int i = 0; i < kTasks; ++i) boost::asio::post(pool, [&done] { ++done; });
  pool.join();
  assert(done == kTasks);
}
