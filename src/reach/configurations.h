// Programs in many sizes and forms, beside those of the paper's table, to be counted in several
// ways.
#ifndef HEDDLE_REACH_CONFIGURATIONS_H_
#define HEDDLE_REACH_CONFIGURATIONS_H_

#include <string>
#include <vector>

#include "reach/program.h"

namespace heddle::reach {

// Every thread does what it does `rounds` times.
Program Repeated(const Program& program, int rounds);

struct Configuration {
  std::string name;
  Program program;
};
// Bounded buffers (producers, consumers, slots, rounds), readers and writers, philosophers,
// semaphores of all initial values, recursive locks, ports, selects, signalling; and programs in
// which hardly anything happens.
std::vector<Configuration> Configurations();

}  // namespace heddle::reach

#endif  // HEDDLE_REACH_CONFIGURATIONS_H_
