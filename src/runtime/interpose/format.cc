#include "runtime/interpose/format.h"

#include <cstring>

namespace heddle {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// One of them; strchr finds the zero, too.
bool IsOneOf(char c, const char* characters) {
  return c != 0 && std::strchr(characters, c) != nullptr;
}

class Reader {
 public:
  Reader(const char* format, std::span<FormatArgument> arguments)
      : at_(format), arguments_(arguments) {}

  int Read() {
    while ((at_ = std::strchr(at_, '%')) != nullptr) {
      ++at_;
      if (!ReadOne()) return -1;
    }
    return count_;
  }

 private:
  struct Width {
    bool is_long = false;         // of a string: its characters are wide
    bool is_long_double = false;  // of a floating-point number
    std::size_t size = sizeof(int);
  };

  bool Take(FormatArgument::Kind kind, std::size_t size = 0) {
    if (static_cast<std::size_t>(count_) == arguments_.size()) return false;
    arguments_[static_cast<std::size_t>(count_++)] = {kind, size};
    return true;
  }

  std::size_t ReadNumber() {
    constexpr std::size_t kMost = std::size_t{1} << 31;
    std::size_t number = 0;
    for (; IsDigit(*at_); ++at_) {
      if (number < kMost) number = number * 10 + static_cast<std::size_t>(*at_ - '0');
    }
    return number;
  }

  // Behind a percent sign. False: nothing more can be said.
  bool ReadOne() {
    while (IsOneOf(*at_, "-+ #0'I")) ++at_;
    if (*at_ == '*') {
      ++at_;
      if (IsDigit(*at_) || !Take(FormatArgument::kWord)) return false;
    } else {
      ReadNumber();
    }
    if (*at_ == '$') return false;
    std::size_t limit = SIZE_MAX;
    if (*at_ == '.') {
      ++at_;
      if (*at_ == '*') {
        ++at_;
        if (IsDigit(*at_) || !Take(FormatArgument::kPrecision)) return false;
      } else {
        limit = ReadNumber();
      }
    }
    return ReadConversion(ReadWidth(), limit);
  }

  Width ReadWidth() {
    Width width;
    switch (*at_) {
      case 'h':
        ++at_;
        width.size = sizeof(short);
        if (*at_ != 'h') return width;
        width.size = sizeof(char);
        break;
      case 'l':
        ++at_;
        width.size = sizeof(long);
        width.is_long = true;
        width.is_long_double = *at_ == 'l';  // glibc makes no difference to L
        if (*at_ != 'l') return width;
        break;
      case 'L':
      case 'q':
        width.size = sizeof(long long);
        width.is_long = true;
        width.is_long_double = true;
        break;
      case 'j':
      case 'z':
      case 'Z':
      case 't':
        width.size = sizeof(std::size_t);
        width.is_long = true;
        break;
      default:
        return width;
    }
    ++at_;
    return width;
  }

  bool ReadConversion(const Width& width, std::size_t limit) {
    const char conversion = *at_;
    if (conversion == 0) return false;
    ++at_;
    if (IsOneOf(conversion, "%m")) return true;
    if (IsOneOf(conversion, "diouxXbBcCSp")) return Take(FormatArgument::kWord);
    if (IsOneOf(conversion, "aAeEfFgG")) {
      return Take(width.is_long_double ? FormatArgument::kLongDouble : FormatArgument::kDouble);
    }
    if (conversion == 'n') return Take(FormatArgument::kCount, width.size);
    if (conversion != 's') return false;
    return width.is_long ? Take(FormatArgument::kWord) : Take(FormatArgument::kText, limit);
  }

  const char* at_;
  std::span<FormatArgument> arguments_;
  int count_ = 0;
};

}  // namespace

int ReadFormat(const char* format, std::span<FormatArgument> arguments) {
  return Reader(format, arguments).Read();
}

}  // namespace heddle
