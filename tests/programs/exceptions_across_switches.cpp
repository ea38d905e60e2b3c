// Each thread has its own exceptions, whoever runs in between.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <cassert>
#include <exception>
#include <string>
#include <thread>

void Throw(int i) {
  for (int round = 0; round < 3; ++round) {
    try {
      try {
        std::this_thread::yield();
        throw std::to_string(i);
      } catch (const std::string&) {
        std::this_thread::yield();
        assert(std::uncaught_exceptions() == 0);
        throw;
      }
    } catch (const std::string& text) {
      assert(text == std::to_string(i));
    }
  }
}

int main() {
  std::thread a(Throw, 1);
  std::thread b(Throw, 2);
  a.join();
  b.join();
  std::exception_ptr carried;
  std::thread c([&] {
    try {
      throw 3;
    } catch (...) {
      carried = std::current_exception();
    }
  });
  c.join();
  try {
    std::rethrow_exception(carried);
  } catch (int value) {
    assert(value == 3);
  }
}
