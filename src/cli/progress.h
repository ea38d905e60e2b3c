// How far a search is: one line that redraws itself on a terminal, a line a minute elsewhere.
#ifndef HEDDLE_CLI_PROGRESS_H_
#define HEDDLE_CLI_PROGRESS_H_

#include <cstdio>
#include <string>

#include "explore/explorer.h"

namespace heddle {

// "1,234 runs, 4,321/s, 98,765 events, 12 classes, no finding, 48 s left".
std::string RenderProgress(const Progress& progress);

// "about 12,000 (9,000 to 16,000)": in 95 of 100 cases it is in the interval.
std::string RenderEstimate(const RunEstimate& estimate);

// "48 s", "3 min 20 s", "2 h 5 min", "12 days", "1,200 years".
std::string RenderSeconds(double seconds);

// The same; where nobody knows better, "40 s to 2 h 5 min".
std::string RenderTimeLeft(const TimeLeft& left);

class ProgressLine {
 public:
  explicit ProgressLine(std::FILE* file);
  ~ProgressLine() { Clear(); }

  // As often as one likes; draws at most ten times a second.
  void Update(const Progress& progress);
  // Removes what is on the terminal, so that something else can be printed.
  void Clear();

 private:
  std::FILE* const file_;
  const bool is_terminal_;
  double drawn_at_;
  bool is_drawn_ = false;
};

}  // namespace heddle

#endif  // HEDDLE_CLI_PROGRESS_H_
