// `heddle explain`: a finding's report again.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/exit_code.h"
#include "report/finding_store.h"
#include "report/json.h"

namespace heddle {

int ExplainCommandMain(const std::vector<std::string>& words) {
  std::string what = "last";
  std::string out = kDefaultOut;
  std::string json;
  bool everything = false;
  ColorChoice color;
  CLI::App app("Prints a finding's report: the failure, the interleaving, every stack.",
               "heddle explain");
  app.add_option("FINDING", what, "an id, a path or last (default last)");
  app.add_flag("--all", everything, "fold nothing in the table");
  app.add_option("--json", json, "write the whole finding as JSON; - is standard output")
      ->type_name("FILE");
  AddOutOption(&app, &out);
  AddColorOption(&app, &color);
  if (const auto code = Parse(&app, words)) return *code;

  if (Status can_write = CheckOutputPath("--json", json); !can_write) {
    return Complain(can_write.error().text, kExitEnvironment);
  }
  const Result<StoredFinding> stored = FindingStore::At(out).Load(what);
  if (!stored) return Complain(stored.error().text, kExitEnvironment);
  if (!json.empty()) {
    if (Status written = WriteJson(json, WholeFindingToJson(stored->finding)); !written) {
      return Complain(written.error().text, kExitEnvironment);
    }
    if (json == "-") return kExitFine;
  }
  TextOptions text = TextFor(stdout, color, out);
  text.table.everything = everything;
  std::fputs(RenderFinding(stored->finding, text).c_str(), stdout);
  return kExitFine;
}

}  // namespace heddle
