// A few famous bugs as runs, shared by unit and golden tests.
#ifndef HEDDLE_REPORT_TESTING_EXAMPLE_RUNS_H_
#define HEDDLE_REPORT_TESTING_EXAMPLE_RUNS_H_

#include "report/finding.h"
#include "report/testing/trace_builder.h"

namespace heddle {

// Two threads add one to a counter without a lock; the assertion at the end fails.
TraceBuilder LostUpdate();
// Two threads take two locks in opposite orders.
TraceBuilder Abba();
// A waiter that missed its signal: no cycle, but nobody can go on.
TraceBuilder LostWakeUp();
// A thread spins on a flag, with and without being switched away from.
TraceBuilder Spinning();
// A long stretch of one thread, then a crash in another.
TraceBuilder LongStretch();
// Twelve threads, more than fit side by side.
TraceBuilder ManyThreads();

FindingContext ExampleContext(const std::string& program);

}  // namespace heddle

#endif  // HEDDLE_REPORT_TESTING_EXAMPLE_RUNS_H_
