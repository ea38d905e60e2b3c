// What fails behind another failure, and only there:  fails_behind [crash]
//
// The first thread fails an assertion, or crashes; the last one fails because of what the first did
// before. Whoever waits for the first fails in nothing.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> said{0};

void Fail(bool crashes) {
  said.store(1);
  if (crashes) *static_cast<volatile int*>(nullptr) = 1;
  assert(!"the first");
}

void Listen() { assert(said.load() != 1); }

int main(int count, char**) {
  std::thread first(Fail, count > 1);
  std::thread last(Listen);
  last.join();
  first.join();
}
