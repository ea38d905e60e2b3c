// Bytes of one word are different variables.
// RUN: heddle run --runs=100
// EXPECT: clean
#include <thread>

struct {
  char a = 0, b = 0;
  short c = 0;
  int d = 0;
} word;

int main() {
  std::thread t1([] { word.a++; });
  std::thread t2([] { word.b++; });
  std::thread t3([] { word.c++; });
  word.d++;
  t1.join();
  t2.join();
  t3.join();
  return word.a + word.b + word.c + word.d == 4 ? 0 : 1;
}
