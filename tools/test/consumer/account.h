#ifndef CONSUMER_ACCOUNT_H_
#define CONSUMER_ACCOUNT_H_

// In the archive.
void Deposit(int amount);
int Balance();

// In the shared library.
void Note();
int Notes();

#endif  // CONSUMER_ACCOUNT_H_
