// Parts of a local object that another thread has by reference: what the thread itself does to them
// is seen, whatever the compiler thinks of their addresses.
// RUN: heddle run --strategy=optimal-dpor --keep-going -- part
// EXPECT: kinds=assertion+race, complete
// RUN: heddle run --runs=30 -- element
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- string
// EXPECT: kind=race
// RUN: heddle run --strategy=optimal-dpor -- beside
// EXPECT: clean, complete
#include <cassert>
#include <string>
#include <thread>

namespace {

struct Pair {
  int first = 0;
  int second = 0;
};

void Part() {
  Pair pair;
  std::thread other([&] { ++pair.second; });
  ++pair.second;
  other.join();
  assert(pair.second == 2);
}

void Element() {
  int elements[4] = {};
  std::thread other([&] { elements[2] = 1; });
  elements[2] = 2;
  other.join();
}

void String() {
  std::string text = "short";
  std::size_t size = 0;
  std::thread other([&] { size = text.size(); });
  text.clear();
  other.join();
}

void Beside() {
  Pair pair;
  std::thread other([&] { ++pair.first; });
  ++pair.second;
  other.join();
  assert(pair.first == 1 && pair.second == 1);
}

}  // namespace

int main(int count, char** words) {
  assert(count > 1);
  const std::string what = words[1];
  if (what == "part") Part();
  if (what == "element") Element();
  if (what == "string") String();
  if (what == "beside") Beside();
}
