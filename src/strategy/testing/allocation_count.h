// Counts what a test program allocates, to see that a Policy allocates nothing.
#ifndef HEDDLE_STRATEGY_TESTING_ALLOCATION_COUNT_H_
#define HEDDLE_STRATEGY_TESTING_ALLOCATION_COUNT_H_

#include <cstdint>

namespace heddle {

// Calls of operator new in this program so far.
std::uint64_t AllocationCount();

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_TESTING_ALLOCATION_COUNT_H_
