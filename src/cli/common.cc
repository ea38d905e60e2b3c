#include "cli/common.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/exit_code.h"
#include "report/files.h"

namespace heddle {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

// A number with one of the units behind it; nothing when it is neither.
std::optional<double> ParseWithUnit(std::string_view text, std::span<const Unit> units) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const Unit& unit : units) {
    if (rest == unit.name) return number * unit.factor;
  }
  return std::nullopt;
}

// A variable of a script that is not set makes an empty word, which must not mean "none". Flags for
// compilers may be none.
std::optional<std::string> EmptyOption(const CLI::App& app) {
  for (const CLI::Option* const option : app.get_options()) {
    const bool may_be_empty = option->get_type_name() == "FLAGS";
    const std::vector<std::string>& words = option->results();
    if (may_be_empty || std::find(words.begin(), words.end(), "") == words.end()) continue;
    return fmt::format("{}: an empty word is no {}", option->get_name(), option->get_type_name());
  }
  return std::nullopt;
}

class UsageFormatter final : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return usage_ + "\n"; }

 private:
  const std::string usage_;
};

}  // namespace

int Complain(const std::string& text, int exit_code) {
  fmt::print(stderr, "heddle: {}\n", text);
  return exit_code;
}

std::optional<int> Parse(CLI::App* app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app->parse(std::move(words));
    if (const auto empty = EmptyOption(*app)) return Complain(*empty, kExitUsage);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app->help().c_str(), stdout);
    return kExitFine;
  } catch (const CLI::ParseError& error) {
    return Complain(fmt::format("{}; {} --help lists the options", error.what(), app->get_name()),
                    kExitUsage);
  }
  return std::nullopt;
}

void SetUsage(CLI::App* app, std::string usage) {
  app->formatter(std::make_shared<UsageFormatter>(std::move(usage)));
}

Result<double> ParseDuration(std::string_view text) {
  constexpr Unit kUnits[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
  const std::optional<double> seconds = ParseWithUnit(text, kUnits);
  if (seconds) return *seconds;
  return Error{fmt::format("'{}' is not a duration; write 90, 90s, 10m or 2h", text)};
}

Result<std::uint64_t> ParseSize(std::string_view text) {
  constexpr double kKilo = 1024;
  constexpr Unit kUnits[] = {{"", 1},
                             {"k", kKilo},
                             {"K", kKilo},
                             {"KB", kKilo},
                             {"M", kKilo * kKilo},
                             {"MB", kKilo * kKilo},
                             {"G", kKilo * kKilo * kKilo},
                             {"GB", kKilo * kKilo * kKilo},
                             {"T", kKilo * kKilo * kKilo * kKilo}};
  const std::optional<double> bytes = ParseWithUnit(text, kUnits);
  if (bytes && *bytes >= 1 && *bytes < 1e18) return static_cast<std::uint64_t>(*bytes);
  return Error{fmt::format("'{}' is not a size; write 512M, 2G or a number of bytes", text)};
}

bool ColorChoice::For(std::FILE* file) const {
  if (text != "auto") return text == "always";
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  if (terminal == nullptr || std::strcmp(terminal, "dumb") == 0) return false;
  return isatty(fileno(file)) != 0;
}

void AddColorOption(CLI::App* app, ColorChoice* choice) {
  app->add_option("--color", choice->text, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

void AddOutOption(CLI::App* app, std::string* out) {
  app->add_option("--out", *out, "directory of the findings (default .heddle)")->type_name("DIR");
}

namespace {

template <typename Number>
void AddNumberOption(CLI::App* app, const std::string& name, Number* number,
                     const std::string& description) {
  app->add_option(name, *number, description)->type_name("N")->check([](const std::string& text) {
    Number parsed = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, parsed);
    if (error == std::errc::result_out_of_range) return fmt::format("'{}' is too much", text);
    const bool is_number = text.empty() || (error == std::errc() && at == end);
    return is_number ? "" : fmt::format("'{}' is no whole number", text);
  });
}

}  // namespace

void AddCountOption(CLI::App* app, const std::string& name, std::uint64_t* count,
                    const std::string& description) {
  AddNumberOption(app, name, count, description);
}

void AddCountOption(CLI::App* app, const std::string& name, int* count,
                    const std::string& description) {
  AddNumberOption(app, name, count, description);
}

int WidthOf(std::FILE* file) {
  winsize size = {};
  if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

TextOptions TextFor(std::FILE* file, const ColorChoice& color, const std::string& out) {
  TextOptions options;
  options.table.width = std::max(60, WidthOf(file));
  options.table.color = color.For(file);
  options.out_directory = out;
  return options;
}

Status CheckOutputPath(std::string_view option, const std::string& path) {
  if (path.empty() || path == "-") return {};
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  int error = 0;
  if (std::filesystem::is_directory(status)) {
    error = EISDIR;
  } else if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
    // Only the system knows who may write where; what is there already stays as it is.
    std::string probe = path + ".XXXXXX";
    const int fd = mkstemp(probe.data());
    if (fd < 0) error = errno;
    if (fd >= 0) {
      close(fd);
      unlink(probe.c_str());
    }
  } else if (access(path.c_str(), W_OK) != 0) {
    error = errno;
  }
  if (error == 0) return {};
  return Error{fmt::format("{} {}: can't be written: {}; name a file in a folder of yours", option,
                           path, std::strerror(error))};
}

int FinishOutput(int exit_code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  const std::string why = errno != 0 ? std::strerror(errno) : "some of it is lost";
  const bool is_worse = exit_code == kExitUsage || exit_code == kExitOurBug;
  return Complain("cannot write to standard output: " + why,
                  is_worse ? exit_code : kExitEnvironment);
}

Status WriteJson(const std::string& target, const nlohmann::ordered_json& json) {
  // What a program prints need not be UTF-8; JSON has to be.
  const std::string text =
      json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (target != "-") {
    std::error_code ignored;
    const auto status = std::filesystem::status(target, ignored);
    // Replacing a device or a pipe by a file would be a bad surprise.
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
      return WriteFileAtomically(target, text);
    }
    std::ofstream file(target);
    if (file << text << std::flush) return {};
    return Error{fmt::format("cannot write {}", target)};
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    const int error = errno;
    std::clearerr(stdout);  // it is told here, and once is enough
    return Error{fmt::format("cannot write to standard output: {}", std::strerror(error))};
  }
  return {};
}

std::string WithCommas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string Count(std::uint64_t number, std::string_view noun) {
  const std::string_view ending = number == 1 ? "" : noun.ends_with('s') ? "es" : "s";
  return fmt::format("{} {}{}", WithCommas(number), noun, ending);
}

}  // namespace heddle
