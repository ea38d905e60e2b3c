// What a format of the printf family does with the arguments behind it.
//
// A pure reader of glibc's formats. It tells less than printf knows: where a format has a
// conversion that is not known here (the program may have registered one), takes one argument for
// two different things, leaves one out, or is too long, nothing is said of any of them.
#ifndef HEDDLE_RUNTIME_INTERPOSE_FORMAT_H_
#define HEDDLE_RUNTIME_INTERPOSE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle {

struct FormatArgument {
  enum Kind : std::uint8_t {
    kWord,        // a number or an address that is not followed
    kDouble,      //
    kLongDouble,  //
    kPrecision,   // an int that says how far a text is read; below zero: to its end
    kText,        // read up to its zero, or `size` bytes
    kWideText,    // the same, until it has made `size` bytes
    kCount,       // `size` bytes are written there
  };
  Kind kind = kWord;
  std::size_t size = 0;
  int precision_in = -1;  // of a text: which argument says how far it is read

  friend bool operator==(const FormatArgument&, const FormatArgument&) = default;
};

// The arguments that `format` takes, in their order, in the first places of `arguments`. How many
// there are; -1: that is not known.
int ReadFormat(const char* format, std::span<FormatArgument> arguments);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_FORMAT_H_
