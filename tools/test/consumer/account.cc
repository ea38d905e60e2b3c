#include "account.h"

namespace {
int balance = 0;
}

void Deposit(int amount) { balance += amount; }
int Balance() { return balance; }
