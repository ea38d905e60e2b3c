// What the commands share: how they speak, and how they read numbers.
#ifndef HEDDLE_CLI_COMMON_H_
#define HEDDLE_CLI_COMMON_H_

#include <cstdint>
#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/text.h"

namespace CLI {
class App;
}

namespace heddle {

inline constexpr char kVersion[] = HEDDLE_VERSION;
inline constexpr char kDefaultOut[] = ".heddle";

// "heddle: TEXT" on standard error; returns `exit_code`, to be returned in turn.
int Complain(const std::string& text, int exit_code);

// Parses what follows the command's name. Nothing: go on. Otherwise the exit code: help was asked
// for, or the usage is wrong (and has been said so).
std::optional<int> Parse(CLI::App* app, std::vector<std::string> words);

// What the help says instead of "[OPTIONS] …"; lines.
void SetUsage(CLI::App* app, std::string usage);

// "90", "90s", "10m", "2h", "500ms" to seconds.
Result<double> ParseDuration(std::string_view text);
// "512M", "2G", "1048576" to bytes.
Result<std::uint64_t> ParseSize(std::string_view text);

// --color: auto (a terminal, and NO_COLOR is not set), always, never.
struct ColorChoice {
  std::string text = "auto";
  bool For(std::FILE* file) const;
};
void AddColorOption(CLI::App* app, ColorChoice* choice);
void AddOutOption(CLI::App* app, std::string* out);
// Of how many: a minus sign would make it a number near 2^64.
void AddCountOption(CLI::App* app, const std::string& name, std::uint64_t* count,
                    const std::string& description);
void AddCountOption(CLI::App* app, const std::string& name, int* count,
                    const std::string& description);

int WidthOf(std::FILE* file);
TextOptions TextFor(std::FILE* file, const ColorChoice& color, const std::string& out);

// Before long work: whether `path`, which the option names, can be written when the work is done.
// Empty and "-" (standard output) can.
Status CheckOutputPath(std::string_view option, const std::string& path);

// What is still to be printed is; returns `exit_code`, or another one if something of it is lost.
int FinishOutput(int exit_code);

// --json: "-" is standard output, anything else a file.
Status WriteJson(const std::string& target, const nlohmann::ordered_json& json);

// "12,345".
std::string WithCommas(std::uint64_t number);
// "1 run", "2 runs".
std::string Count(std::uint64_t number, std::string_view noun);

}  // namespace heddle

#endif  // HEDDLE_CLI_COMMON_H_
