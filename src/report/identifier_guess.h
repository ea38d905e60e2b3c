// Names for memory that has no symbol (locals, members behind pointers), from the lines that touch
// it.
//
// An object that all of its lines can mean only by the same identifier is called that; several such
// objects (elements, members of two instances) are numbered. Where two identifiers remain there is
// no guess.
#ifndef HEDDLE_REPORT_IDENTIFIER_GUESS_H_
#define HEDDLE_REPORT_IDENTIFIER_GUESS_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/symbolizer.h"
#include "trace/op.h"
#include "trace/run_trace.h"

namespace heddle {

class RunNames;

// What an operation on a line may act on: no keywords, types, called functions or variables that
// the line declares. In "x = y" a plain write means x and a plain read y.
std::set<std::string> ReferencesIn(std::string_view line, OpKind kind = OpKind::kNone);

// Whether a statement makes a guard (std::lock_guard and its relatives): then it names the lock.
bool MakesGuard(std::string_view statement);

// The statement of a line that a column (from 1) lies in, so that the body of a lambda is not taken
// for the call it is an argument of. The whole line when there is but one.
std::string_view StatementAt(std::string_view line, int column);

// Fills in the empty ones of `names` (by ObjectId).
void GuessNamesFromSource(const RunTrace& trace, Symbolizer& symbols, const RunNames& run,
                          std::vector<std::string>* names);

}  // namespace heddle

#endif  // HEDDLE_REPORT_IDENTIFIER_GUESS_H_
