// What goes into a stream of C++, or is read out of one, is an access of its caller: it may race or
// use what was freed, and both orders with what another thread does are tried.
// RUN: heddle run --runs=30 -- text
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- text joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- string
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- string joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- write
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- write beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- read
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- read beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- freed
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- orders aX|ab
// EXPECT: kinds=race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- orders ab|aX
// EXPECT: kinds=assertion+race, complete
#include <cassert>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

namespace {

char text[] = "abcdef";
constexpr int kUsed = 4;
std::string words = "more than what fits into the string itself";
int at = 1;

void Use(const std::string& call) {
  if (call == "text") std::cout << text << '\n';
  if (call == "string") std::cout << words << '\n';
  if (call == "write") std::cout.write(text, kUsed);
  if (call == "read") {
    std::istringstream from("12345678");
    assert(from.read(text, kUsed));
  }
}

void Change(const std::string& call) {
  if (call == "string") {
    words[9] = 'X';
  } else {
    text[at] = 'X';
  }
}

void Free() {
  char* const block = new char[4]();
  std::thread other([block] { std::cout << block; });
  delete[] block;
  other.join();
}

void Orders(const char* never) {
  text[2] = 0;
  std::thread other(Change, "text");
  std::ostringstream own;
  own << text << '|' << text;
  other.join();
  assert(std::strcmp(own.str().c_str(), never) != 0);
}

}  // namespace

int main(int count, char** arguments) {
  assert(count > 1);
  const std::string call = arguments[1];
  const std::string how = count > 2 ? arguments[2] : "";
  if (call == "freed") return Free(), 0;
  if (call == "orders") return Orders(arguments[2]), 0;
  if (how == "beside") at = kUsed;
  std::thread other(Change, call);
  if (how == "joined") other.join();
  Use(call);
  if (how != "joined") other.join();
}
