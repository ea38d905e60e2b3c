// Findings as JSON: the keys that scripts rely on, and the whole finding for the store.
#ifndef HEDDLE_REPORT_JSON_H_
#define HEDDLE_REPORT_JSON_H_

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.h"
#include "report/finding.h"

namespace heddle {

// An element of "findings" in `heddle run --json`.
nlohmann::ordered_json FindingToJson(const Finding& finding);

// Everything, and back. `name` is what error messages call the text.
nlohmann::ordered_json WholeFindingToJson(const Finding& finding);
Result<Finding> FindingFromJson(std::string_view text, std::string_view name);

}  // namespace heddle

#endif  // HEDDLE_REPORT_JSON_H_
