// For faults_test.py: many different failures, or none, one after the other.
//   faults find    an assertion whose place depends on the schedule: a search goes on finding new
//   ones faults run     nothing fails; runs touch memory, descriptors, files and processes
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

static int order = 0;
static int at[3];

static void Take(int who) {
  const int before = order;
  order = before + 1;
  at[who] = before;
}

// One failure each: fingerprints know the place, not the line.
template <int kCase>
__attribute__((noinline)) static void Fail() {
  assert(kCase < 0);
}

static void Find() {
  std::thread a(Take, 0), b(Take, 1), c(Take, 2);
  a.join();
  b.join();
  c.join();
  switch (at[0] * 9 + at[1] * 3 + at[2]) {
    case 0:
      return Fail<0>();
    case 1:
      return Fail<1>();
    case 3:
      return Fail<2>();
    case 4:
      return Fail<3>();
    case 9:
      return Fail<4>();
    case 10:
      return Fail<5>();
    case 12:
      return Fail<6>();
    case 5:
      return Fail<7>();
    case 7:
      return Fail<8>();
    default:
      return;
  }
}

static void Run() {
  std::mutex mutex;
  std::vector<char*> blocks;
  const auto work = [&] {
    const std::lock_guard lock(mutex);
    blocks.push_back(
        static_cast<char*>(calloc(1, 1 << 16)));  // left behind, with a descriptor and a file
    char name[] = "leftXXXXXX";
    const std::string path = std::string(getenv("TMPDIR")) + "/" + name;
    open(path.c_str(), O_CREAT | O_RDWR, 0600);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(blocks.size() == 2);
}

int main(int, char** arguments) {
  if (std::strcmp(arguments[1], "find") == 0) Find();
  if (std::strcmp(arguments[1], "run") == 0) Run();
}
