// ABBA: two transfers in opposite directions take the two locks in opposite order.
#include <mutex>
#include <thread>

struct Account {
  std::mutex lock;
  int balance = 100;
};

void Transfer(Account& from, Account& to, int amount) {
  std::lock_guard<std::mutex> hold_from(from.lock);
  std::lock_guard<std::mutex> hold_to(to.lock);
  from.balance -= amount;
  to.balance += amount;
}

int main() {
  Account savings;
  Account checking;
  std::thread there([&] { Transfer(savings, checking, 10); });
  std::thread back([&] { Transfer(checking, savings, 20); });
  there.join();
  back.join();
}
