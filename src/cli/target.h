// From what stands behind `heddle run` to a program that can be started.
#ifndef HEDDLE_CLI_TARGET_H_
#define HEDDLE_CLI_TARGET_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "report/finding.h"

namespace CLI {
class App;
}

namespace heddle {

// SOURCE… [-- ARGS…], or [--] PROGRAM ARGS….
struct TargetWords {
  std::vector<std::string> sources;
  std::string program;  // when there are no sources
  std::vector<std::string> arguments;

  bool empty() const { return sources.empty() && program.empty(); }
};

// A command's words taken apart: its options (as `app` knows them) and what it is to run. Options
// may stand on either side of sources; a program takes all words behind it. An Error is wrong
// usage.
struct SplitCommand {
  std::vector<std::string> options;
  TargetWords target;
};
Result<SplitCommand> SplitTarget(const CLI::App& app, const std::vector<std::string>& words);

// Sources and programs by name, as one list of words (behind the `--` of heddle replay).
TargetWords TargetOf(const std::vector<std::string>& words);

struct CompileSettings {
  std::string cxxflags;
  std::string ldflags;
  std::string out;  // built programs are kept there
  bool color = false;
};

struct Target {
  Invocation invocation;     // environment and directory are this process's; no standard input
  std::string preload;       // the engine, when the program does not link it
  bool calls_ready = false;  // it calls heddle::Ready()
  double compile_seconds = 0;
  std::string compiler_messages;
  std::vector<std::string> notes;  // sentences
};

// Compiles or inspects. An Error is the input's fault.
Result<Target> MakeTarget(const TargetWords& words, const CompileSettings& settings);

// The path of the engine, to be preloaded.
Result<std::string> FindEngine();

}  // namespace heddle

#endif  // HEDDLE_CLI_TARGET_H_
