// What a run was at when the step limit ended it.
#ifndef HEDDLE_EXPLORE_ENDLESS_LOOP_H_
#define HEDDLE_EXPLORE_ENDLESS_LOOP_H_

#include <string>

#include "symbols/symbolizer.h"
#include "trace/run_trace.h"

namespace heddle {

// "T1 Work goes round at a.cpp:12: it reads flag (always 0)", from the last events that were
// recorded: the thread with the most of them, and what it reads again and again. Empty: no thread
// repeats itself. Only a hint: a program may just be long.
std::string DescribeLoop(const RunTrace& trace, Symbolizer& symbols);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_ENDLESS_LOOP_H_
