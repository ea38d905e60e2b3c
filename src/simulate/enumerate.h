// All interleavings of a Program, by brute force, each with its exact random-walk probability and
// its partial order in a form that can be compared.
#ifndef HEDDLE_SIMULATE_ENUMERATE_H_
#define HEDDLE_SIMULATE_ENUMERATE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simulate/interpreter.h"
#include "simulate/program.h"
#include "trace/plan.h"

namespace heddle::simulate {

struct Interleaving {
  std::vector<EventName> events;
  std::vector<Answer> answers;  // ready to be a Plan's prefix
  double probability = 1;       // of a walk that answers every question uniformly
  bool failed = false;          // an assertion did
  bool deadlocked = false;
};

struct EnumerateOptions {
  bool stop_at_failure = true;  // as in MachineOptions
};

// Calls `visit` once per interleaving, in the order of the answers. Programs must end under every
// schedule.
void ForEachInterleaving(const Program& program, const EnumerateOptions& options,
                         const std::function<void(const Interleaving&)>& visit);

// The partial order of the events as text: every event with all that must come before it. Equal
// texts mean equal partial orders, nothing is hashed.
std::string CanonicalOrder(const std::vector<EventName>& events);

}  // namespace heddle::simulate

#endif  // HEDDLE_SIMULATE_ENUMERATE_H_
