// Scheduling points chosen by name, without building again. The bug is in Deposit.
// RUN: heddle run --races=off --strategy=dfs
// EXPECT: kind=assertion
// RUN: heddle run --races=off --strategy=dfs --focus Deposit
// EXPECT: kind=assertion
// RUN: heddle run --races=off --strategy=dfs --ignore Log --keep-going
// EXPECT: kind=assertion, complete, runs=6
// RUN: heddle run --races=off --strategy=dfs --ignore Deposit
// EXPECT: clean, not-native, complete
// RUN: heddle run --races=off --strategy=dfs --focus Log
// EXPECT: clean, not-native, complete
// RUN: heddle run --races=off --strategy=dfs --ignore focus.cpp
// EXPECT: clean, not-native, complete, runs=1
// RUN: heddle run --races=off --strategy=dfs --ignore program
// EXPECT: clean, not-native, complete, runs=1
#include <cassert>
#include <mutex>
#include <thread>

static int balance = 0;
static int lines = 0;
static std::mutex mutex;

__attribute__((noinline)) static void Log() {
  const std::lock_guard lock(mutex);
  ++lines;
}

__attribute__((noinline)) static void Deposit() {
  const int before = balance;
  balance = before + 1;
}

static void Work() {
  Log();
  Deposit();
}

int main() {
  std::thread first(Work), second(Work);
  first.join();
  second.join();
  assert(balance == 2);
}
