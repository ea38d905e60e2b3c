// Random programs, small enough to enumerate, in families that each stress something else.
#ifndef HEDDLE_SIMULATE_GENERATE_H_
#define HEDDLE_SIMULATE_GENERATE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "base/rng.h"
#include "simulate/program.h"

namespace heddle::simulate {

struct Family {
  std::string_view name;
  Program (*make)(Rng& rng);
};

// accesses, branches, locks, semaphores, conditions, created threads, time-outs. A program of any
// of them has at most some thousand interleavings; some deadlock, some fail an assertion.
std::span<const Family> Families();
// ... and try-locks, waits for a condition that may give up, threads that several threads create,
// read-write locks, and what fails (generate_tries.h). tests/e2e/interpreted.cpp runs them as real
// threads.
std::span<const Family> FamiliesOfThreads();
// ... and channels, threads that end the process.
std::span<const Family> AllFamilies();

// Readers and writers of one lock that also wait for each other, by a mutex or a semaphore, inside
// and outside. Too many interleavings to visit each.
Program SharedSections(Rng& rng);

// `threads` threads of `events` accesses each, over objects with the given numbers of accesses
// (which add up to threads * events); every second access is a read when `half_reads`.
struct MicroOptions {
  int threads = 4;
  int events = 4;
  std::span<const int> accesses;
  bool half_reads = false;
};
Program MicroProgram(const MicroOptions& options, Rng& rng);

}  // namespace heddle::simulate

#endif  // HEDDLE_SIMULATE_GENERATE_H_
