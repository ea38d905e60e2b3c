// Small programs with exactly known numbers of classes under sequential consistency.
//
// The numbers are derived by hand beside each program; a test has brute force count them again.
#ifndef HEDDLE_SIMULATE_LITMUS_H_
#define HEDDLE_SIMULATE_LITMUS_H_

#include <cstdint>
#include <vector>

#include "simulate/program.h"

namespace heddle::simulate {

struct Litmus {
  Program program;
  std::uint64_t classes = 0;
  std::uint64_t stuck = 0;  // how many of them are deadlocks
};

std::vector<Litmus> LitmusTests();

}  // namespace heddle::simulate

#endif  // HEDDLE_SIMULATE_LITMUS_H_
