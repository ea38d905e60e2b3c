// The interleaving of a failing run as a table with a column per thread.
//
// Time runs downwards. A switch is a line of its own with its reason; long stretches of one thread
// and repeated spins are folded; the failing operation is marked. When the columns would get too
// narrow, each row names its thread instead.
#ifndef HEDDLE_REPORT_TABLE_H_
#define HEDDLE_REPORT_TABLE_H_

#include <string>

#include "report/finding.h"

namespace heddle {

struct TableOptions {
  int width = 100;  // of the terminal, in columns
  bool color = false;
  bool everything = false;  // fold nothing
  int stretch = 10;         // operations of one thread shown before folding the middle
  int most = 80;            // operations shown in all
};

std::string RenderTable(const Finding& finding, const TableOptions& options);

}  // namespace heddle

#endif  // HEDDLE_REPORT_TABLE_H_
