// What every command of heddle ends with.
#ifndef HEDDLE_CLI_EXIT_CODE_H_
#define HEDDLE_CLI_EXIT_CODE_H_

namespace heddle {

inline constexpr int kExitFine = 0;         // nothing found; a replay passed
inline constexpr int kExitFinding = 1;      // at least one finding; a replay reproduced it
inline constexpr int kExitUsage = 2;        // wrong usage
inline constexpr int kExitEnvironment = 3;  // the environment or the input is at fault
inline constexpr int kExitOurBug = 70;

}  // namespace heddle

#endif  // HEDDLE_CLI_EXIT_CODE_H_
