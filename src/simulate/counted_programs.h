// Programs whose number of classes is known by hand: for tests and for `heddle bench systematic`.
#ifndef HEDDLE_SIMULATE_COUNTED_PROGRAMS_H_
#define HEDDLE_SIMULATE_COUNTED_PROGRAMS_H_

#include "simulate/program.h"

namespace heddle::simulate {

// Two threads, each stores to its own variable and loads the other's: 3.
Program StoreBuffering();
// Two threads, each n times: lock, load, store, unlock: (2n)! / (n! n!).
Program LockedIncrements(int n);
// One store against one load in each of n threads: 2^n.
Program WriterAndReaders(int n);
// Two threads, n rounds each of: load i, load j, store the sum to i (the other: to j).
Program FibBench(int n);
// n philosophers, each takes two forks: in the order of the forks' numbers (2^n - 2), or the left
// one first (one more, the deadlock).
Program Philosophers(int n, bool left_first);
// Two threads take two locks in opposite orders: 3, one of them a deadlock.
Program OppositeLocks();

}  // namespace heddle::simulate

#endif  // HEDDLE_SIMULATE_COUNTED_PROGRAMS_H_
