// A download tool: workers count the bytes they have written, a watcher saves how far it got. The
// sum is read in two parts. (after the atomicity violation in aget, bug 2 of SCTBench)
#include <cassert>
#include <mutex>
#include <thread>

constexpr int kChunks = 3;

std::mutex lock;
int written[2];
int total = 0;

void Download(int self) {
  for (int i = 0; i < kChunks; ++i) {
#ifdef FIXED
    const std::lock_guard guard(lock);
    written[self] += 1;
    total += 1;
#else
    written[self] += 1;
    const std::lock_guard guard(lock);
    total += 1;
#endif
  }
}

void Save() {
#ifdef FIXED
  const std::lock_guard guard(lock);
#endif
  const int saved = total;
  assert(saved == written[0] + written[1]);
}

int main() {
  std::thread first(Download, 0), second(Download, 1), watcher(Save);
  first.join();
  second.join();
  watcher.join();
}
