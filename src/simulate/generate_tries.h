// Families of generate.h in which much fails: what did not happen depends on less than what did.
#ifndef HEDDLE_SIMULATE_GENERATE_TRIES_H_
#define HEDDLE_SIMULATE_GENERATE_TRIES_H_

#include "base/rng.h"
#include "simulate/program.h"

namespace heddle::simulate {

// Compare-exchanges of few values by two to four threads.
Program Exchanges(Rng& rng);
// ... until they succeed, or for a place that one of them gets.
Program ExchangeLoops(Rng& rng);
// Locks and semaphores that are tried.
Program Losers(Rng& rng);
// Read-write locks that are tried.
Program ReadWriteLosers(Rng& rng);
// Some of that, and threads that end the process.
Program ExitingLosers(Rng& rng);

}  // namespace heddle::simulate

#endif  // HEDDLE_SIMULATE_GENERATE_TRIES_H_
