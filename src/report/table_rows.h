// Which rows a table of steps has: what is folded, where a switch is told.
#ifndef HEDDLE_REPORT_TABLE_ROWS_H_
#define HEDDLE_REPORT_TABLE_ROWS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "report/finding.h"

namespace heddle {

struct TableRow {
  enum class Kind {
    kStep,    // `step`
    kSwitch,  // before `step`, which tells why
    kFold,    // `count` operations before `step` are left out
    kRepeat,  // the `span` steps above come `count` times more
  };
  Kind kind = Kind::kStep;
  std::size_t step = 0;  // index into Finding::steps
  std::size_t count = 0;
  std::size_t span = 0;
};

struct RowOptions {
  bool everything = false;
  std::size_t stretch = 10;  // steps of one thread without a switch that are all shown
  std::size_t most = 80;     // steps shown in all: the beginning and, mostly, the end
};

std::vector<TableRow> RowsOf(const Finding& finding, const RowOptions& options);

// "read counter = 0".
std::string OperationText(const Step& step);

// "T1 preempted", "main blocked: waits for mutex m".
std::string SwitchText(const Finding& finding, const Step& step);

}  // namespace heddle

#endif  // HEDDLE_REPORT_TABLE_ROWS_H_
