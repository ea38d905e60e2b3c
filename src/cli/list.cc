// `heddle list`: the findings under --out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/exit_code.h"
#include "report/finding_store.h"

namespace heddle {

int ListCommandMain(const std::vector<std::string>& words) {
  std::string out = kDefaultOut;
  std::string json;
  ColorChoice color;
  CLI::App app("Lists the findings that are stored.", "heddle list");
  app.add_option("--json", json, "write them as JSON; - is standard output")->type_name("FILE");
  AddOutOption(&app, &out);
  AddColorOption(&app, &color);
  if (const auto code = Parse(&app, words)) return *code;

  if (Status can_write = CheckOutputPath("--json", json); !can_write) {
    return Complain(can_write.error().text, kExitEnvironment);
  }
  const auto findings = FindingStore::At(out).List();
  if (!findings) return Complain(findings.error().text, kExitEnvironment);
  if (!json.empty()) {
    auto list = nlohmann::ordered_json::array();
    for (const FindingSummary& summary : *findings) {
      list.push_back({{"id", summary.id},
                      {"kind", summary.damage.empty() ? InfoOf(summary.kind).name : ""},
                      {"message", summary.message},
                      {"program", summary.program},
                      {"hits", summary.hits},
                      {"first_run", summary.first_run},
                      {"replayed", summary.replayed},
                      {"damage", summary.damage}});
    }
    if (Status written = WriteJson(json, list); !written) {
      return Complain(written.error().text, kExitEnvironment);
    }
    if (json == "-") return kExitFine;
  }
  std::fputs(RenderList(*findings, TextFor(stdout, color, out)).c_str(), stdout);
  return kExitFine;
}

}  // namespace heddle
