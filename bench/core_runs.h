// Builds the measured programs and runs them, under heddle or natively; reads what they report.
#ifndef HEDDLE_BENCH_CORE_RUNS_H_
#define HEDDLE_BENCH_CORE_RUNS_H_

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "core_figure.h"
#include "explore/temporary.h"

namespace heddle::bench {

using Figures = std::map<std::string, Figure>;  // by the name that the program gives

// What a program wrote to its results file.
Result<Figures> ReadFigures(const std::string& path);

struct RunsOptions {
  std::string heddle;   // the command itself, to compile and to run the measured programs
  std::string sources;  // their directory
};

// Owns a temporary directory with the built programs.
class Runs {
 public:
  static Result<Runs> Prepare(const RunsOptions& options, const std::vector<std::string>& programs);

  // Builds it with ThreadSanitizer instead, under the name PROGRAM-tsan.
  Status BuildWithTsan(const std::string& program);

  // One run of it; heddle is given `options`. The program gets its results file before `arguments`.
  Result<Figures> UnderHeddle(const std::string& program, const std::vector<std::string>& arguments,
                              const std::vector<std::string>& options);
  Result<Figures> Natively(const std::string& program, const std::vector<std::string>& arguments);
  // Nanoseconds per run of a search of `runs` runs by one worker.
  Result<double> RunCost(const std::string& program, int runs);

 private:
  Runs(RunsOptions options, TemporaryDirectory directory);
  Status Compile(std::vector<std::string> compiler, const std::string& program,
                 const std::string& output);
  Status Call(const std::vector<std::string>& command);
  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }

  RunsOptions options_;
  TemporaryDirectory directory_;
};

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_CORE_RUNS_H_
