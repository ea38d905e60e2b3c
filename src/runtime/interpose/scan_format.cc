#include "runtime/interpose/scan_format.h"

#include <cstring>
#include <cwchar>

#include "runtime/interpose/characters.h"

namespace heddle {
namespace {

class Reader {
 public:
  Reader(const char* format, std::span<ScanArgument> arguments)
      : format_(format), at_(format), arguments_(arguments) {}

  int Read() {
    while ((at_ = std::strchr(at_, '%')) != nullptr) {
      ++at_;
      if (!ReadOne()) return -1;
    }
    return count_;
  }

 private:
  // Of a number without any modifier.
  enum class Width { kInt, kChar, kShort, kLong, kLongLong };

  // Behind a percent sign. False: nothing more can be said.
  bool ReadOne() {
    bool is_kept = true;
    bool is_allocated = false;
    for (; IsOneOf(*at_, "*'I"); ++at_) {
      if (*at_ == '*') is_kept = false;
    }
    std::size_t characters = 0;
    for (; IsDigit(*at_); ++at_) {
      constexpr std::size_t kMost = std::size_t{1} << 31;
      if (characters < kMost) characters = characters * 10 + static_cast<std::size_t>(*at_ - '0');
    }
    if (*at_ == '$') return false;
    ScanArgument text = {.kind = ScanArgument::kText, .size = sizeof(char), .place = Place()};
    if (*at_ == 'm') {
      ++at_;
      is_allocated = true;
    }
    const Width width = ReadWidth();
    const char conversion = *at_;
    if (conversion == 0) return false;
    ++at_;
    if (conversion == '%') return true;
    ScanArgument taken;
    if (IsOneOf(conversion, "diouxXn")) {
      taken = {conversion == 'n' ? ScanArgument::kCount : ScanArgument::kValue, SizeOf(width)};
    } else if (conversion == 'p') {
      taken = {ScanArgument::kValue, sizeof(void*)};
    } else if (IsOneOf(conversion, "aAeEfFgG")) {
      // In old C, %as is a text that the call allocates.
      if (conversion == 'a' && IsOneOf(*at_, "sS[")) return false;
      taken = {ScanArgument::kValue, SizeOfReal(width)};
    } else if (IsOneOf(conversion, "csCS[")) {
      if (width != Width::kInt && width != Width::kLong) return false;
      if (conversion == '[' && !ReadSet()) return false;
      const bool is_wide = width == Width::kLong || IsOneOf(conversion, "CS");
      if (is_wide) text.size = sizeof(wchar_t);
      taken = text;
      if (IsOneOf(conversion, "cC")) {
        taken = {characters > 1 ? ScanArgument::kCharacters : ScanArgument::kValue,
                 text.size * (characters > 1 ? characters : 1)};
      }
      if (is_allocated) taken = {ScanArgument::kValue, sizeof(void*)};
    } else {
      return false;
    }
    if (!is_kept) return true;
    if (static_cast<std::size_t>(count_) == arguments_.size()) return false;
    arguments_[static_cast<std::size_t>(count_++)] = taken;
    return true;
  }

  Width ReadWidth() {
    switch (*at_) {
      case 'h':
        ++at_;
        if (*at_ != 'h') return Width::kShort;
        ++at_;
        return Width::kChar;
      case 'l':
        ++at_;
        if (*at_ != 'l') return Width::kLong;
        ++at_;
        return Width::kLongLong;
      case 'L':
      case 'q':
        ++at_;
        return Width::kLongLong;
      case 'j':
      case 'z':
      case 'Z':
      case 't':
        ++at_;
        return Width::kLong;
      default:
        return Width::kInt;
    }
  }

  static std::size_t SizeOf(Width width) {
    switch (width) {
      case Width::kChar:
        return sizeof(char);
      case Width::kShort:
        return sizeof(short);
      case Width::kLong:
      case Width::kLongLong:
        return sizeof(long);
      case Width::kInt:
        break;
    }
    return sizeof(int);
  }

  static std::size_t SizeOfReal(Width width) {
    if (width == Width::kLongLong) return sizeof(long double);
    return width == Width::kLong ? sizeof(double) : sizeof(float);
  }

  // Behind the opening bracket: to behind the closing one, which may be the first in the set.
  bool ReadSet() {
    if (*at_ == '^') ++at_;
    if (*at_ == ']') ++at_;
    at_ = std::strchr(at_, ']');
    if (at_ == nullptr) return false;
    ++at_;
    return true;
  }

  std::size_t Place() const { return static_cast<std::size_t>(at_ - format_); }

  const char* format_;
  const char* at_;
  std::span<ScanArgument> arguments_;
  int count_ = 0;
};

}  // namespace

int ReadScanFormat(const char* format, std::span<ScanArgument> arguments) {
  return Reader(format, arguments).Read();
}

}  // namespace heddle
