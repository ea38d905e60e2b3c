// std::osyncstream: what one thread writes at once comes out in one piece.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <cassert>
#include <sstream>
#include <string>
#include <syncstream>
#include <thread>

int main() {
  std::ostringstream out;
  const auto write = [&](char c) { std::osyncstream(out) << c << c << c << ' '; };
  std::thread first(write, 'a'), second(write, 'b');
  first.join();
  second.join();
  assert(out.str() == "aaa bbb " || out.str() == "bbb aaa ");
}
