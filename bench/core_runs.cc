#include "core_runs.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "compile/process.h"

namespace heddle::bench {
namespace {

using Words = std::vector<std::string>;

}  // namespace

Runs::Runs(RunsOptions options, TemporaryDirectory directory)
    : options_(std::move(options)), directory_(std::move(directory)) {}

Result<Runs> Runs::Prepare(const RunsOptions& options, const std::vector<std::string>& programs) {
  if (!std::filesystem::exists(options.sources + "/measure.h")) {
    return Error{"the measured programs are in a source checkout only: run ./heddle bench there"};
  }
  Result<TemporaryDirectory> directory = TemporaryDirectory::Make();
  if (!directory) return directory.error();
  Runs runs(options, std::move(*directory));
  for (const std::string& program : programs) {
    const Status built = runs.Compile({options.heddle, "c++"}, program, program);
    if (!built) return built.error();
  }
  return runs;
}

Status Runs::Compile(Words compiler, const std::string& program, const std::string& output) {
  compiler.insert(compiler.end(), {"-O2", "-g", "-std=c++17", "-pthread",
                                   options_.sources + "/" + program + ".cpp", "-o", Path(output)});
  return Call(compiler);
}

Status Runs::BuildWithTsan(const std::string& program) {
  return Compile({"g++", "-fsanitize=thread"}, program, program + "-tsan");
}

Status Runs::Call(const Words& command) {
  const Result<CommandOutput> output = RunCommand(command);
  if (!output) return output.error();
  if (output->exit_code == 0) return {};
  return Error{ShellLine(command) + "\nended with " + std::to_string(output->exit_code) + ":\n" +
               output->text};
}

Result<Figures> ReadFigures(const std::string& path) {
  Figures figures;
  std::ifstream file(path);
  std::string name;
  Figure figure;
  while (file >> name >> figure.minimum >> figure.median) figures[name] = figure;
  file.close();
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  if (figures.empty()) return Error{"a measured program reported nothing"};
  return figures;
}

Result<Figures> Runs::UnderHeddle(const std::string& program, const Words& arguments,
                                  const Words& options) {
  Words command = {options_.heddle, "run", "--runs", "1", "--workers", "1", "--out", Path("out")};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"--", Path(program), Path("results")});
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (const Status called = Call(command); !called) return called.error();
  return ReadFigures(Path("results"));
}

Result<Figures> Runs::Natively(const std::string& program, const Words& arguments) {
  Words command = {Path(program), Path("results")};
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (const Status called = Call(command); !called) return called.error();
  return ReadFigures(Path("results"));
}

Result<double> Runs::RunCost(const std::string& program, int runs) {
  const Status called =
      Call({options_.heddle, "run", "--runs", std::to_string(runs), "--workers", "1", "--strategy",
            "random", "--out", Path("out"), "--json", Path("json"), "--", Path(program)});
  if (!called) return called.error();
  std::ifstream file(Path("json"));
  const nlohmann::json result = nlohmann::json::parse(file, nullptr, false);
  if (!result.is_object() || result.value("runs", 0) < 1) {
    return Error{"heddle run wrote no result for " + program};
  }
  return result.value("seconds", 0.0) * 1e9 / result.value("runs", 1);
}

}  // namespace heddle::bench
