#include "variant_part.h"

int balance = 0;

void* Deposit(void* unused) {
  const int before = balance;
  balance = before + 1;
  return unused;
}
