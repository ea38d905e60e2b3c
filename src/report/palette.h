// Colours of a terminal, or none.
#ifndef HEDDLE_REPORT_PALETTE_H_
#define HEDDLE_REPORT_PALETTE_H_

#include <string_view>

namespace heddle {

// Escape sequences by role; all empty when colour is off.
struct Palette {
  std::string_view error, warning, good, emphasis, dim, location, accent, reset;
};

const Palette& PaletteFor(bool color);

}  // namespace heddle

#endif  // HEDDLE_REPORT_PALETTE_H_
