// For build_variants_test.py: may be precompiled.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

extern int balance;
void* Deposit(void* unused);
