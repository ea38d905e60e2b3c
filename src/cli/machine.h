// What this machine allows, found by trying it.
//
// Everything is tried in a way that leaves the process as it was. Judging what the facts mean for
// heddle is `heddle doctor`'s (cli/doctor.h).
#ifndef HEDDLE_CLI_MACHINE_H_
#define HEDDLE_CLI_MACHINE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

// A program that can be started.
struct Tool {
  std::string name;          // as one would type it
  std::string version = {};  // "12.2.0"; empty: it does not say
  bool found = false;
  bool chosen = false;  // by HEDDLE_CC or HEDDLE_CXX
};

struct Machine {
  std::string system;        // "Linux"
  std::string architecture;  // "x86_64"
  std::string kernel;        // "6.1.0-18-amd64"
  std::string libc;          // "2.36"
  int cores = 1;

  bool fsgsbase = false;         // user code may set the FS base
  bool aslr_can_be_off = false;  // personality(ADDR_NO_RANDOMIZE) is allowed
  bool shadow_stack_on = false;  // in this process, hence in those it starts
  bool shadow_stack_in_cpu = false;
  bool ptrace = false;  // a child may be traced
  bool memfd = false;
  bool huge_reservation = false;  // the engine's areas: some 10 TiB of addresses, untouched

  std::uint64_t memory_bytes = 0;  // that this process may use: the machine's, or its container's
  std::uint64_t available_bytes = 0;  // of the machine's, now
  std::uint64_t shm_bytes = 0;        // size of /dev/shm

  std::string runtime_directory;
  std::string runtime_fault;  // empty: the runtime is whole

  std::vector<Tool> compilers;
  Tool gdb;
};

Machine ProbeMachine();

// The version in what a tool's --version prints: the last word of the first line that starts with
// a digit.
std::string VersionIn(const std::string& output);

}  // namespace heddle

#endif  // HEDDLE_CLI_MACHINE_H_
