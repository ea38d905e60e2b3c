// tiny: two threads with four accesses, a lock and an unlock each.
// tiny FILE FORKS: instead, what the kernel takes for a bare fork, exit and wait of this process.
#include <signal.h>

#include <mutex>
#include <thread>

#include "measure.h"

int numbers[4];
std::mutex mutex;

void Touch() {
  mutex.lock();
  for (int& number : numbers) ++number;
  mutex.unlock();
}

UNSEEN void BareForks(const char* file, int forks) {
  static Samples samples;
  constexpr int kChunks = 10;
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    const std::uint64_t start = Nanoseconds();
    for (int i = 0; i < forks / kChunks; ++i) {
      const long child = Kernel(SYS_clone, SIGCHLD);
      if (child == 0) Kernel(SYS_exit_group);
      Kernel(SYS_wait4, child);
    }
    samples.Add(static_cast<double>(Nanoseconds() - start) / (forks / kChunks));
  }
  Report(file, "fork", &samples);
}

int main(int argc, char** argv) {
  if (argc > 2) {
    BareForks(argv[1], std::atoi(argv[2]));
    return 0;
  }
  std::thread one(Touch);
  std::thread two(Touch);
  one.join();
  two.join();
}
