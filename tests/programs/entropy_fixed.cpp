// Random numbers are the same in every run, and differ from thread to thread and from call to call.
// RUN: heddle run --strategy=dfs --runs=50
// EXPECT: clean, complete, runs=1
// RUN: heddle run --runs=20 -- events
// EXPECT: clean, classes=1
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <atomic>
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

static std::atomic<int> number;

// Other numbers would be other events.
static void DoAsTheySay() {
  for (const unsigned long long word : mine[0]) {
    for (int bit = 0; bit < 8; ++bit) (word >> bit & 1) != 0 ? ++number : number.load();
  }
}

int main(int argc, char**) {
  if (argc > 1) {
    std::thread only(Draw, 0);
    only.join();
    std::thread(DoAsTheySay).join();
    return 0;
  }
  std::thread first(Draw, 0), second(Draw, 1);
  first.join();
  second.join();
  std::set<unsigned long long> all;
  for (const auto& one : mine) all.insert(std::begin(one), std::end(one));
  assert(all.size() == 8);
}
