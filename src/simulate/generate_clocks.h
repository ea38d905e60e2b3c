// The family of generate.h in which time passes.
#ifndef HEDDLE_SIMULATE_GENERATE_CLOCKS_H_
#define HEDDLE_SIMULATE_GENERATE_CLOCKS_H_

#include "base/rng.h"
#include "simulate/program.h"

namespace heddle::simulate {

// Threads that sleep, wait for a semaphore or a condition until a certain time, and see how late it
// is.
Program Clocks(Rng& rng);

}  // namespace heddle::simulate

#endif  // HEDDLE_SIMULATE_GENERATE_CLOCKS_H_
