// Two deposits at a time; "bare" without the lock that they need.
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "account.h"

int main(int argc, char** argv) {
  if (argc != 3 || std::string(argv[2]) != "two words") return 9;
  const bool locked = std::string(argv[1]) == "locked";
  std::mutex mutex;
  const auto deposit = [&] {
    std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
    if (locked) lock.lock();
    Deposit(10);
    Note();
  };
  std::thread first(deposit), second(deposit);
  first.join();
  second.join();
  if (Balance() != 20 || Notes() != 2) std::abort();
  return 0;
}
