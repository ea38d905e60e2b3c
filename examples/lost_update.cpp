// Lost update: two threads read the balance, both add to what they read, one addition is lost.
#include <cassert>
#include <thread>

struct Account {
  int balance = 0;
  void Deposit(int amount) {
    const int before = balance;
    balance = before + amount;
  }
};

int main() {
  Account account;
  std::thread alice([&] { account.Deposit(10); });
  std::thread bob([&] { account.Deposit(20); });
  alice.join();
  bob.join();
  assert(account.balance == 30);
}
