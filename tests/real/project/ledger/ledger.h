#ifndef LEDGER_H_
#define LEDGER_H_

#include <map>
#include <mutex>
#include <string>

class Ledger {
 public:
  void Book(const std::string& account, int amount);
  int Balance(const std::string& account) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int> balances_;
};

#endif  // LEDGER_H_
