// `heddle clean`: removes findings, and the programs that heddle built for them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/exit_code.h"
#include "report/finding_store.h"

namespace heddle {

int CleanCommandMain(const std::vector<std::string>& words) {
  std::string out = kDefaultOut;
  std::vector<std::string> ids;
  CLI::App app("Removes findings: those named, or all of them and the programs built for them.",
               "heddle clean");
  app.add_option("FINDING", ids, "ids; without any, everything goes");
  AddOutOption(&app, &out);
  if (const auto code = Parse(&app, words)) return *code;

  FindingStore store = FindingStore::At(out);
  if (!ids.empty()) {
    for (const std::string& id : ids) {
      if (Status removed = store.Remove(id); !removed) {
        return Complain(removed.error().text, kExitEnvironment);
      }
    }
    fmt::print("Removed {}.\n", Count(ids.size(), "finding"));
    return kExitFine;
  }
  const Result<int> cleaned = store.Clean();
  if (!cleaned) return Complain(cleaned.error().text, kExitEnvironment);
  std::error_code error;
  std::filesystem::remove_all(out + "/programs", error);
  if (error) {
    return Complain(fmt::format("cannot remove {}/programs: {}", out, error.message()),
                    kExitEnvironment);
  }
  fmt::print("Removed {}.\n", Count(static_cast<std::uint64_t>(*cleaned), "finding"));
  return kExitFine;
}

}  // namespace heddle
