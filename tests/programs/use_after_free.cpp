// One thread deletes what another still reads; joining first is right.
// RUN: heddle run --runs=500
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --runs=300 -- join
// EXPECT: clean
#include <thread>

struct Account {
  int balance = 7;
};

int main(int argc, char**) {
  const bool join_first = argc > 1;
  Account* const account = new Account;
  int seen = 7;
  std::thread reader([&] { seen = account->balance; });
  if (join_first) reader.join();
  delete account;
  if (!join_first) reader.join();
  return seen == 7 ? 0 : 1;
}
