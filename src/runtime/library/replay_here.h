// HEDDLE_REPLAY=FILE: a schedule of one heddle::Explore call, run in the test process itself.
//
// Everywhere else bodies run in copies of the test. A debugger that was started with the test looks
// at the test, so here the process gives up being one: it makes that one run and ends.
#ifndef HEDDLE_RUNTIME_LIBRARY_REPLAY_HERE_H_
#define HEDDLE_RUNTIME_LIBRARY_REPLAY_HERE_H_

#include <cstdint>
#include <string>

#include "runtime/library/body.h"

namespace heddle {

// The Explore call that a schedule file is of; empty when it names none or can't be read.
std::string ExploreKeyOf(const char* schedule_file);

// Makes the run that the controller at the other end of `channel` asks for. Never returns: ends the
// process with status 1 when the run failed, 0 otherwise. `stack` as for BootLate.
[[noreturn]] void ReplayHere(const Body& body, int channel, std::uint64_t stack);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_LIBRARY_REPLAY_HERE_H_
