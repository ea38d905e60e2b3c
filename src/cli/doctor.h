// `heddle doctor`: each thing this machine has to offer, what follows for heddle, and the remedy.
//
// Examine is pure, so that machines we do not have can be tested.
#ifndef HEDDLE_CLI_DOCTOR_H_
#define HEDDLE_CLI_DOCTOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/machine.h"

namespace heddle {

enum class Health : std::uint8_t {
  kGood,
  kLimited,  // heddle runs, with less
  kMissing,  // heddle can't run
};

struct Capability {
  std::string name;
  Health health = Health::kGood;
  std::string found;    // what is there
  std::string follows;  // what that means for the user
  std::string remedy;   // empty when there is nothing to do
};

std::vector<Capability> Examine(const Machine& machine);

// Whether heddle can run with these.
bool CanRun(const std::vector<Capability>& capabilities);

struct DoctorLayout {
  int width = 100;  // in columns
  bool color = false;
};
std::string RenderCapabilities(const std::vector<Capability>& capabilities,
                               const DoctorLayout& layout);

// Examines this machine and prints the table; the command's exit code.
int RunDoctor(bool color);

}  // namespace heddle

#endif  // HEDDLE_CLI_DOCTOR_H_
