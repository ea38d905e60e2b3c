// For faults_test.py: many different failures, or none, one after the other.
//   faults find       an assertion whose place depends on the schedule: a search finds new ones
//   faults run        nothing fails; runs touch memory, descriptors and files
//   faults held FILE  the same, and a run does not go on while there is such a file
//   faults explore N  the same in the body of a test, N times
#include <fcntl.h>
#include <heddle/heddle.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
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

// So that whoever wants to see a run in its middle does, however fast the machine is.
static void WaitWhileThereIs(const char* file) {
  while (access(file, F_OK) == 0) {
  }
}

// Threads, memory and descriptors.
static void Body() {
  std::mutex mutex;
  int ends[2];
  if (pipe(ends) != 0) abort();
  heddle::Concurrently(
      [&] {
        const std::lock_guard lock(mutex);
        if (write(ends[1], "x", 1) != 1) abort();
      },
      [&] {
        const std::lock_guard lock(mutex);
        free(calloc(1, 1 << 12));
      });
  char byte = 0;
  HEDDLE_ASSERT(read(ends[0], &byte, 1) == 1);
  close(ends[0]);
  close(ends[1]);
}

int main(int, char** arguments) {
  if (std::strcmp(arguments[1], "explore") == 0) {
    const auto result = heddle::Explore({.strategy = "random",
                                         .runs = std::strtoull(arguments[2], nullptr, 10),
                                         .time = "10h",
                                         .on_finding = heddle::kReturn},
                                        Body);
    return result.ok() && result.runs == std::strtoull(arguments[2], nullptr, 10) ? 0 : 1;
  }
  if (std::strcmp(arguments[1], "find") == 0) Find();
  if (std::strcmp(arguments[1], "run") == 0) Run();
  if (std::strcmp(arguments[1], "held") == 0) {
    WaitWhileThereIs(arguments[2]);
    Run();
  }
}
