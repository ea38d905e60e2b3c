#include "ledger.h"

void Ledger::Book(const std::string& account, int amount) {
#ifdef SEED_BUG
  const int old = Balance(account);
  const std::lock_guard<std::mutex> lock(mutex_);
  balances_[account] = old + amount;  // somebody may have booked since
#else
  const std::lock_guard<std::mutex> lock(mutex_);
  balances_[account] += amount;
#endif
}

int Ledger::Balance(const std::string& account) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = balances_.find(account);
  return found == balances_.end() ? 0 : found->second;
}
