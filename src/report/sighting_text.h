// What a run saw and survived, in words, and where.
#ifndef HEDDLE_REPORT_SIGHTING_TEXT_H_
#define HEDDLE_REPORT_SIGHTING_TEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/finding.h"
#include "report/run_names.h"
#include "trace/run_trace.h"

namespace heddle {

struct SightingText {
  Severity severity = Severity::kError;
  std::string message;        // one line
  std::vector<Frame> places;  // in the user's code, one for each side
  std::vector<FindingStack> stacks;
  std::vector<std::uint32_t> events;  // that it is made of
};

// The library through which a stack passes whose synchronisation heddle does not see; "" = none.
// The run-time libraries are modelled, and a single frame at the bottom only starts the thread.
std::string UnseenLibrary(const std::vector<Frame>& stack,
                          const std::vector<std::string>& plain_modules);

SightingText Explain(const RunTrace& trace, const Sighting& sighting, const RunNames& names);

}  // namespace heddle

#endif  // HEDDLE_REPORT_SIGHTING_TEXT_H_
