// Random numbers are the same in every run, and differ from thread to thread and from call to call.
// RUN: heddle run --strategy=dfs --runs=50
// EXPECT: clean, complete, runs=1
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cassert>
#include <random>
#include <set>
#include <thread>

static unsigned long long mine[2][4];

static void Draw(int which) {
  std::random_device device;
  mine[which][0] = device();
  mine[which][1] = device();
  assert(getrandom(&mine[which][2], sizeof mine[which][2], 0) == sizeof mine[which][2]);
  const int file = open("/dev/urandom", O_RDONLY);
  assert(read(file, &mine[which][3], sizeof mine[which][3]) == sizeof mine[which][3]);
  close(file);
}

int main() {
  std::thread first(Draw, 0), second(Draw, 1);
  first.join();
  second.join();
  std::set<unsigned long long> all;
  for (const auto& one : mine) all.insert(std::begin(one), std::end(one));
  assert(all.size() == 8);
}
