// A bounded buffer as a thread with a selective wait over synchronous ports (Table 1).
// RUN: heddle run --strategy=reachability
// EXPECT: clean, complete, runs=144, output~144 SYN-sequences
#include <heddle/heddle.h>
#include <heddle/sync.h>

int main() {
  heddle::SyncPort<int> deposit;
  heddle::SyncPort<int> withdraw;
  heddle::SyncPort<int> reply[3];
  const auto produce = [&] { deposit.Send(0); };
  const auto consume = [&](int i) {
    withdraw.Send(i);
    reply[i].Receive();
  };
  heddle::Concurrently(
      [&] {
        int full = 0;
        for (int i = 0; i < 6; ++i) {
          int who = -1;
          heddle::Select()
              .When(full < 2, deposit, [&](int) { ++full; })
              .When(full > 0, withdraw, [&](int consumer) { who = consumer; })
              .Wait();
          if (who < 0) continue;
          reply[who].Send(0);
          --full;
        }
      },
      produce, produce, produce, [&] { consume(0); }, [&] { consume(1); }, [&] { consume(2); });
  return 0;
}
