// The programs of the figures in Yuan, Yang, Gu: "Partial Order Aware Concurrency Sampling" (CAV
// 2018). Every statement is one event.
#ifndef HEDDLE_SIMULATE_PAPER_PROGRAMS_H_
#define HEDDLE_SIMULATE_PAPER_PROGRAMS_H_

#include "simulate/program.h"

namespace heddle::simulate {

// Fig. 1a: the assertion of thread A fails when all m events of thread B come first.
Program Figure1a(int m);

// Fig. 2, the running example: ten events, and the assertion fails in one total order.
Program Figure2();

// Fig. 3: `threads` threads that race for x at their beginning and end, with m private events in
// between.
Program Figure3(int threads, int m);

}  // namespace heddle::simulate

#endif  // HEDDLE_SIMULATE_PAPER_PROGRAMS_H_
