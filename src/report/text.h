// A finding for people: headline, where, the interleaving, what to do next.
#ifndef HEDDLE_REPORT_TEXT_H_
#define HEDDLE_REPORT_TEXT_H_

#include <string>
#include <vector>

#include "report/finding.h"
#include "report/finding_store.h"
#include "report/table.h"

namespace heddle {

struct TextOptions {
  TableOptions table = {};  // width and colour are used for all of the text
  bool stacks = true;       // of the threads at the failure
  bool show_output = true;
  std::string out_directory = ".heddle";  // as the user wrote it
};

// The report after a run and of `heddle explain`.
std::string RenderFinding(const Finding& finding, const TextOptions& options);

// `heddle list`.
std::string RenderList(const std::vector<FindingSummary>& findings, const TextOptions& options);

}  // namespace heddle

#endif  // HEDDLE_REPORT_TEXT_H_
