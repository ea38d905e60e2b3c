// The last reference to an exception destroys it, after all handlers that looked at it have ended.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <cassert>
#include <exception>
#include <thread>

struct Problem {
  explicit Problem(int number) : number(number) {}
  Problem(const Problem&) = default;
  ~Problem() { number = -1; }
  int number;
};

int main() {
  std::exception_ptr problem = std::make_exception_ptr(Problem(7));
  const auto handle = [](std::exception_ptr mine) {
    try {
      std::rethrow_exception(std::move(mine));
    } catch (const Problem& seen) {
      assert(seen.number == 7);
    }
  };
  std::thread first(handle, problem);
  std::thread second(handle, problem);
  problem = nullptr;
  first.join();
  second.join();
}
