// oneTBB: a parallel loop, a task group, a concurrent queue and map, with two threads.
// -DRACY: the tasks add to a plain number.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_queue.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cassert>

int main() {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
#ifdef RACY
  int sum = 0;
#else
  std::atomic<int> sum{0};
#endif
  tbb::concurrent_queue<int> queue;
  tbb::task_group group;
  for (int i = 1; i <= 3; ++i) {
    group.run([&, i] {
      queue.push(i);
      sum += i;
    });
  }
  group.wait();
  assert(sum == 6);
  tbb::concurrent_hash_map<int, int> map;
  tbb::parallel_for(0, 4, [&](int i) {
    tbb::concurrent_hash_map<int, int>::accessor accessor;
    map.insert(accessor, i % 2);
    accessor->second += i;
  });
  int value = 0, popped = 0;
  while (queue.try_pop(value)) popped += value;
  assert(popped == 6 && map.size() == 2);
}
