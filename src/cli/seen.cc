#include "cli/seen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/progress.h"

namespace heddle {
namespace {

// Matched as the beginning of the file's name.
constexpr std::array<std::string_view, 9> kOwnLibraries = {
    "libc.so",       "libm.so",   "libstdc++.so", "libgcc_s.so",        "ld-linux",
    "libpthread.so", "libc++.so", "libc++abi.so", "libheddle_engine.so"};
constexpr std::size_t kMostNames = 6;

std::string FileName(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

bool IsOwn(const std::string& name) {
  return name.empty() || name[0] == '[' || name.starts_with("linux-vdso") ||
         std::any_of(kOwnLibraries.begin(), kOwnLibraries.end(),
                     [&name](std::string_view own) { return name.starts_with(own); });
}

std::string Listed(const std::vector<std::string>& names) {
  if (names.size() <= kMostNames) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, and {} more", fmt::join(names.begin(), names.begin() + kMostNames, ", "),
                     names.size() - kMostNames);
}

}  // namespace

Seen DescribeSeen(const std::string& program, const std::vector<ModuleRecord>& modules) {
  Seen seen;
  if (Result<Instrumentation> described = DescribeInstrumentation(program)) {
    seen.instrumented_units = described->instrumented_units;
    seen.plain_units = std::move(described->plain_units);
    seen.unseen_functions = std::move(described->unseen_functions);
  }
  for (const ModuleRecord& module : modules) {
    std::string name = FileName(module.path);
    if (module.path == program || IsOwn(name) || CallsHooks(module.path)) continue;
    if (MakesSystemCalls(module.path)) seen.locking_modules.push_back(name);
    seen.plain_modules.push_back(std::move(name));
  }
  return seen;
}

std::vector<std::string> SeenNotes(const Seen& seen) {
  std::vector<std::string> notes;
  if (!seen.plain_units.empty()) {
    std::vector<std::string> names;
    for (const std::string& unit : seen.plain_units) names.push_back(FileName(unit));
    notes.push_back(
        fmt::format("Instrumented: {} of {} objects of the program; not {}: their memory accesses "
                    "are not seen.",
                    seen.instrumented_units,
                    seen.instrumented_units + static_cast<int>(names.size()), Listed(names)));
  }
  if (!seen.plain_modules.empty()) {
    notes.push_back(fmt::format("Not instrumented, so only their synchronisation is seen: {}.",
                                Listed(seen.plain_modules)));
  }
  if (!seen.unseen_functions.empty()) {
    std::vector<std::string> names;
    for (const UnseenFunction& function : seen.unseen_functions) {
      names.push_back(
          fmt::format("{} ({}:{})", function.name, FileName(function.file), function.line));
    }
    notes.push_back(fmt::format(
        "Marked no_sanitize(\"thread\"), so the memory accesses in {} are not seen: {}.",
        names.size() == 1 ? "it" : "them", Listed(names)));
  }
  return notes;
}

nlohmann::ordered_json SeenToJson(const Seen& seen) {
  nlohmann::ordered_json json;
  json["objects"] = seen.instrumented_units;
  json["plain_objects"] = seen.plain_units;
  json["plain_modules"] = seen.plain_modules;
  json["unseen_functions"] = nlohmann::ordered_json::array();
  for (const UnseenFunction& function : seen.unseen_functions) {
    json["unseen_functions"].push_back(
        {{"function", function.name}, {"file", function.file}, {"line", function.line}});
  }
  return json;
}

}  // namespace heddle
