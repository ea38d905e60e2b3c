// Ctrl-C and SIGTERM as a flag, so that what was found is kept; the second one ends the process.
#ifndef HEDDLE_CLI_INTERRUPT_H_
#define HEDDLE_CLI_INTERRUPT_H_

#include <atomic>

namespace heddle {

// From the first call on signals only set the flag.
const std::atomic<bool>& CatchInterrupts();

}  // namespace heddle

#endif  // HEDDLE_CLI_INTERRUPT_H_
