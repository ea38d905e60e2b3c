// A bank account: the withdrawal says that it is done before it is. (after SCTBench's account)
#include <cassert>
#include <mutex>
#include <thread>

std::mutex lock;
int balance = 10;
bool deposited = false;
bool withdrawn = false;

void Deposit() {
  const std::lock_guard guard(lock);
  balance += 20;
  deposited = true;
}

void Withdraw() {
#ifndef FIXED
  {
    const std::lock_guard guard(lock);
    withdrawn = true;
  }
#endif
  const std::lock_guard guard(lock);
  balance -= 5;
  withdrawn = true;
}

void Check() {
  const std::lock_guard guard(lock);
  if (deposited && withdrawn) assert(balance == 25);
}

int main() {
  std::thread deposit(Deposit), withdraw(Withdraw), check(Check);
  deposit.join();
  withdraw.join();
  check.join();
}
