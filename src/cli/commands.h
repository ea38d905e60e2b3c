// The commands, one file each; main.cc has their table.
#ifndef HEDDLE_CLI_COMMANDS_H_
#define HEDDLE_CLI_COMMANDS_H_

#include <string>
#include <vector>

namespace heddle {

// All of them take the words behind the command's name and return the exit code.
int RunCommandMain(const std::vector<std::string>& words);
int ReplayCommandMain(const std::vector<std::string>& words);
int ExplainCommandMain(const std::vector<std::string>& words);
int ListCommandMain(const std::vector<std::string>& words);
int CleanCommandMain(const std::vector<std::string>& words);

// Started by heddle::Explore, never by people: the controller of a test process.
int SessionCommandMain(const std::vector<std::string>& words);

}  // namespace heddle

#endif  // HEDDLE_CLI_COMMANDS_H_
