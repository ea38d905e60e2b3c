// Two threads that use one stream into memory or a file race, whatever they insert. They do not
// with a lock, with streams of their own, or with the standard ones.
// RUN: heddle run --runs=30 -- text
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- string
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- number
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- file
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- locked
// EXPECT: clean
// RUN: heddle run --runs=30 -- own
// EXPECT: clean
// RUN: heddle run --runs=30 -- standard
// EXPECT: clean
// RUN: heddle run --runs=30 -- fast
// EXPECT: clean
// RUN: heddle run --runs=30 -- synchronised
// EXPECT: clean
#include <cassert>
#include <fstream>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <syncstream>
#include <thread>

namespace {

std::ostringstream memory;
std::ofstream file("/dev/null");
std::mutex mutex;

void Insert(std::ostream& stream) { stream << "text" << std::string("string") << 4.5 << 3L << 'c'; }

void Use(const std::string& how) {
  if (how == "text") memory << "text";
  if (how == "string") memory << std::string("string");
  if (how == "number") memory << 12;
  if (how == "file") file << 3.5;
  if (how == "locked") {
    const std::scoped_lock lock(mutex);
    Insert(memory);
    Insert(file);
  }
  if (how == "own") {
    std::ostringstream own;
    Insert(own);
    assert(own.str() == "textstring4.53c");
  }
  if (how == "standard" || how == "fast") Insert(std::cout);
  if (how == "standard") Insert(std::cerr);
  if (how == "synchronised") {
    std::osyncstream own(std::cout);
    Insert(own);
  }
}

}  // namespace

int main(int count, char** arguments) {
  assert(count > 1);
  const std::string how = arguments[1];
  if (how == "fast") std::ios::sync_with_stdio(false);
  std::thread other(Use, how);
  Use(how);
  other.join();
}
