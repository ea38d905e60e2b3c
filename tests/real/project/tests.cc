#include <gtest/gtest.h>

#include <thread>

#include "counter.h"
#include "ledger.h"

TEST(CounterTest, CountsWhatAllThreadsAdd) {
  Counter counter;
  std::thread first([&counter] { counter.Add(1); });
  std::thread second([&counter] { counter.Add(2); });
  first.join();
  second.join();
  EXPECT_EQ(counter.value(), 3);
}

TEST(LedgerTest, KeepsEveryBooking) {
  Ledger ledger;
  std::thread first([&ledger] { ledger.Book("rent", 10); });
  std::thread second([&ledger] { ledger.Book("rent", 5); });
  first.join();
  second.join();
  EXPECT_EQ(ledger.Balance("rent"), 15);
}
