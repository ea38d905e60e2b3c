// Programs in which hardly anything happens: one sequence, or a deadlock in the first.
// RUN: heddle run --strategy=reachability:check=on -- alone
// EXPECT: clean, complete, runs=1, output~1 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability:check=on -- nothing
// EXPECT: clean, complete, runs=1, output~1 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability:check=on -- unread
// EXPECT: clean, complete, runs=1, output~1 SYN-sequences; these are all.
// A port with room for one that nobody reads: who gets in, and the other waits for ever.
// RUN: heddle run --strategy=reachability:check=on --keep-going -- full
// EXPECT: kind=deadlock, any-schedule, complete, runs=2, output~2 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability:check=on --keep-going -- deaf
// EXPECT: kind=deadlock, any-schedule, complete, runs=1, output~1 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability:check=on --keep-going -- stuck
// EXPECT: kind=deadlock, any-schedule, complete, runs=1, output~1 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability:check=on --keep-going -- rendezvous
// EXPECT: kind=deadlock, any-schedule, complete, runs=1, output~1 SYN-sequences; these are all.
#include <heddle/heddle.h>
#include <heddle/sync.h>

#include <string>
#include <thread>

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "alone") {
    heddle::Semaphore semaphore(0);
    std::thread([&] {
      semaphore.V();
      semaphore.P();
    }).join();
  } else if (what == "nothing") {
    heddle::Concurrently([] {}, [] {}, [] {});
  } else if (what == "unread") {
    heddle::AsyncPort<int> port;
    heddle::Concurrently(
        [&] {
          port.Send(1);
          port.Send(2);
        },
        [&] { port.Send(3); });
  } else if (what == "full") {
    heddle::AsyncPort<int> port(1);
    const auto send = [&] { port.Send(1); };
    heddle::Concurrently(send, send);
  } else if (what == "deaf") {
    heddle::AsyncPort<int> port;
    heddle::Concurrently([&] { port.Receive(); }, [] {});
  } else if (what == "stuck") {
    heddle::Semaphore semaphore(0);
    heddle::Concurrently([&] { semaphore.P(); }, [&] { semaphore.P(); }, [&] { semaphore.P(); });
  } else if (what == "rendezvous") {
    heddle::SyncPort<int> port;
    heddle::Concurrently([&] { port.Send(1); }, [&] { port.Send(2); });
  }
}
