// Findings that the user does not want to hear of, in the format of ThreadSanitizer's files:
//
//   # comment
//   race:Logger::Flush        any frame of either stack: function, file or module; or the variable
//   race_top:*_stat*          the innermost frame only
//   called_from_lib:libz.so   a frame of that library
//   deadlock:^Cache::         deadlocks, and locks taken in opposite orders
//   mutex:legacy.c            misuse of a primitive
//
// `*` stands for anything, `^` and `$` for the ends; otherwise a pattern may match anywhere.
#ifndef HEDDLE_REPORT_SUPPRESSIONS_H_
#define HEDDLE_REPORT_SUPPRESSIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/finding.h"

namespace heddle {

class Suppressions {
 public:
  // `name` is what messages call the text. An Error names the line that is none.
  static Result<Suppressions> Parse(std::string_view text, std::string_view name);

  bool Match(const Finding& finding) const;

  // Whether it may match what ends a run; races and the like do not.
  bool MayMatchFailures() const;

  // Sentences about lines that have no meaning here.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  enum class Kind { kRace, kRaceTop, kCalledFromLibrary, kDeadlock, kMutex };
  struct Line {
    Kind kind = Kind::kRace;
    std::string pattern;
  };

  static bool Matches(const Line& line, const Finding& finding);

  std::vector<Line> lines_;
  std::vector<std::string> notes_;
};

// A race between two places of the C++ library that its authors vouch for: libstdc++'s
// atomic<shared_ptr> is unlocked by a relaxed operation, which orders nothing by the letter.
bool IsTheLibrarysOwn(const Finding& race);

// Whether a pattern of such a file fits.
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace heddle

#endif  // HEDDLE_REPORT_SUPPRESSIONS_H_
