// Small programs over the other constructs, whose SYN-sequences can be counted by hand.
// Three messages to a port with room for one: the orders of admission.
// RUN: heddle run --strategy=reachability -- bounded
// EXPECT: clean, complete, runs=6, output~6 SYN-sequences
// P and V by two threads on a binary semaphore: who is first (figure 4 of the paper).
// RUN: heddle run --strategy=reachability -- binary
// EXPECT: clean, complete, runs=2, output~2 SYN-sequences
// A lock taken twice by one thread and once by the other (figure 5).
// RUN: heddle run --strategy=reachability -- lock
// EXPECT: clean, complete, runs=2, output~2 SYN-sequences
// Two senders, two ports and a selective wait: four messages, each can be the next, so 4! orders.
// RUN: heddle run --strategy=reachability -- select
// EXPECT: clean, complete, runs=24, output~24 SYN-sequences
#include <heddle/heddle.h>
#include <heddle/sync.h>

#include <string>

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "bounded") {
    heddle::AsyncPort<int> port(1);
    const auto send = [&] { port.Send(1); };
    heddle::Concurrently(
        [&] {
          for (int i = 0; i < 3; ++i) port.Receive();
        },
        send, send, send);
  } else if (what == "binary") {
    heddle::BinarySemaphore semaphore(1);
    const auto use = [&] {
      semaphore.P();
      semaphore.V();
    };
    heddle::Concurrently(use, use);
  } else if (what == "lock") {
    heddle::Lock lock;
    heddle::Concurrently(
        [&] {
          const std::lock_guard<heddle::Lock> outer(lock);
          const std::lock_guard<heddle::Lock> inner(lock);
        },
        [&] { const std::lock_guard<heddle::Lock> only(lock); });
  } else {
    heddle::AsyncPort<int> a;
    heddle::AsyncPort<int> b;
    const auto send = [&] {
      a.Send(1);
      b.Send(2);
    };
    heddle::Concurrently(
        [&] {
          for (int i = 0; i < 4; ++i) {
            heddle::Select().On(a, [](int) {}).On(b, [](int) {}).Wait();
          }
        },
        send, send);
  }
  return 0;
}
