// What a format of the scanf family does with the arguments behind it, which are all addresses.
//
// A pure reader of glibc's formats. Where a format names its arguments by position, has a
// conversion that is not known here, or is too long, nothing is said of any of them.
#ifndef HEDDLE_RUNTIME_INTERPOSE_SCAN_FORMAT_H_
#define HEDDLE_RUNTIME_INTERPOSE_SCAN_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle {

struct ScanArgument {
  enum Kind : std::uint8_t {
    kValue,       // `size` bytes; of an address, where %m puts one
    kText,        // characters of `size` bytes each, as many as come, and a zero
    kCharacters,  // `size` bytes, or fewer where the input ends
    kCount,       // `size` bytes, which %n fills without counting as a conversion
  };
  Kind kind = kValue;
  std::size_t size = 0;
  // Of a text: where in the format an m makes it one that the call allocates.
  std::size_t place = 0;

  friend bool operator==(const ScanArgument&, const ScanArgument&) = default;
};

// The arguments that `format` takes, in their order, in the first places of `arguments`. How many
// there are; -1: that is not known.
int ReadScanFormat(const char* format, std::span<ScanArgument> arguments);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_SCAN_FORMAT_H_
