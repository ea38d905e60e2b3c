// The findings a project has accepted for now, in a file that is committed with it.
//
// Known findings are counted but do not fail; new ones do; those that are gone are named, so that
// the file can be cut down.
#ifndef HEDDLE_REPORT_BASELINE_H_
#define HEDDLE_REPORT_BASELINE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/finding.h"

namespace heddle {

class Baseline {
 public:
  struct Entry {
    std::string kind;
    std::string fingerprint;
    std::string message;  // for people

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  // `name` is what messages call the text.
  static Result<Baseline> Parse(std::string_view text, std::string_view name);
  // Of these findings; sorted, so that the file changes as little as they do.
  static Baseline Of(std::span<const Finding* const> findings);

  std::string Format() const;
  bool Knows(const Finding& finding) const;
  // Entries that none of the findings is.
  std::vector<Entry> Vanished(std::span<const Finding* const> findings) const;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace heddle

#endif  // HEDDLE_REPORT_BASELINE_H_
