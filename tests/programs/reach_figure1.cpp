// The example of Carver and Lei's paper: asynchronous ports, three SYN-sequences.
// RUN: heddle run --strategy=reachability
// EXPECT: clean, complete, runs=3, output~3 SYN-sequences
// RUN: heddle run --strategy=dfs --runs=100000
// EXPECT: clean, complete
#include <heddle/heddle.h>
#include <heddle/sync.h>

int main() {
  heddle::AsyncPort<int> p2;
  heddle::AsyncPort<int> p3;
  heddle::Concurrently([&] { p2.Send(1); },
                       [&] {
                         p2.Receive();
                         p3.Send(2);
                         p2.Receive();
                       },
                       [&] {
                         p3.Receive();
                         p2.Send(3);
                         p3.Receive();
                       },
                       [&] { p3.Send(4); });
  return 0;
}
