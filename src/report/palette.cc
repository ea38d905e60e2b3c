#include "report/palette.h"

namespace heddle {
namespace {

constexpr Palette kPlain = {};
constexpr Palette kColor = {
    .error = "\033[1;31m",
    .warning = "\033[1;33m",
    .good = "\033[32m",
    .emphasis = "\033[1m",
    .dim = "\033[2m",
    .location = "\033[36m",
    .accent = "\033[35m",
    .reset = "\033[0m",
};

}  // namespace

const Palette& PaletteFor(bool color) { return color ? kColor : kPlain; }

}  // namespace heddle
