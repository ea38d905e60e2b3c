// Text of a certain width on a terminal.
#ifndef HEDDLE_REPORT_LAYOUT_H_
#define HEDDLE_REPORT_LAYOUT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle {

// Columns that UTF-8 text takes, one per code point (which is right for all that heddle writes).
std::size_t DisplayWidth(std::string_view text);

// At most `width` columns; what was cut off is shown by "…".
std::string CutTo(std::string_view text, std::size_t width);

// Exactly `width` columns: cut or filled with blanks.
std::string PadTo(std::string_view text, std::size_t width);

// Lines of at most `width` columns, broken at blanks; all but the first begin with `indent`.
std::string WrapText(std::string_view text, std::size_t width, std::string_view indent);

}  // namespace heddle

#endif  // HEDDLE_REPORT_LAYOUT_H_
