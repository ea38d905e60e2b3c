#include "runtime/interpose/format.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "runtime/interpose/characters.h"

namespace heddle {
namespace {

class Reader {
 public:
  Reader(const char* format, std::span<FormatArgument> arguments)
      : at_(format), arguments_(arguments) {}

  int Read() {
    while ((at_ = std::strchr(at_, '%')) != nullptr) {
      ++at_;
      if (!ReadOne()) return -1;
    }
    const std::uint64_t all = (std::uint64_t{1} << count_) - 1;
    return named_ == all ? count_ : -1;
  }

 private:
  struct Width {
    bool is_long = false;         // of a string: its characters are wide
    bool is_long_double = false;  // of a floating-point number
    std::size_t size = sizeof(int);
  };

  // An argument: the next one, or that which the format names, counted from one. Where it is; -1:
  // nothing more can be said.
  int Take(const FormatArgument& argument, std::size_t position) {
    constexpr std::size_t kMost = 63;
    if (order_ == Order::kUnknown) order_ = position == 0 ? Order::kTheirs : Order::kNamed;
    if ((order_ == Order::kNamed) != (position != 0)) return -1;
    const std::size_t index = position == 0 ? static_cast<std::size_t>(count_) : position - 1;
    if (index >= std::min(arguments_.size(), kMost)) return -1;
    FormatArgument& known = arguments_[index];
    const std::uint64_t bit = std::uint64_t{1} << index;
    if ((named_ & bit) == 0) {
      known = argument;
    } else if (known.kind != argument.kind || known.precision_in != argument.precision_in) {
      return -1;
    } else if (known.size != argument.size) {
      if (known.kind == FormatArgument::kCount) return -1;
      known.size = std::max(known.size, argument.size);  // a text, for the second time
    }
    named_ |= bit;
    count_ = std::max(count_, static_cast<int>(index) + 1);
    return static_cast<int>(index);
  }

  std::size_t ReadNumber() {
    constexpr std::size_t kMost = std::size_t{1} << 31;
    std::size_t number = 0;
    for (; IsDigit(*at_); ++at_) {
      if (number < kMost) number = number * 10 + static_cast<std::size_t>(*at_ - '0');
    }
    return number;
  }

  // The number of an argument and the dollar sign behind it, if that is what comes next; or 0.
  std::size_t ReadPosition() {
    const char* const before = at_;
    const std::size_t position = ReadNumber();
    if (position != 0 && *at_ == '$') {
      ++at_;
      return position;
    }
    at_ = before;
    return 0;
  }

  // Behind a percent sign. False: nothing more can be said.
  bool ReadOne() {
    const std::size_t position = ReadPosition();
    while (IsOneOf(*at_, "-+ #0'I")) ++at_;
    if (*at_ == '*') {
      ++at_;
      if (Take({FormatArgument::kWord}, ReadPosition()) < 0) return false;
    } else {
      ReadNumber();
    }
    FormatArgument text = {.kind = FormatArgument::kText, .size = SIZE_MAX};
    if (*at_ == '.') {
      ++at_;
      if (*at_ == '*') {
        ++at_;
        text.precision_in = Take({FormatArgument::kPrecision}, ReadPosition());
        if (text.precision_in < 0) return false;
      } else {
        text.size = ReadNumber();
      }
    }
    return ReadConversion(ReadWidth(), text, position);
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

  bool ReadConversion(const Width& width, FormatArgument text, std::size_t position) {
    const char conversion = *at_;
    if (conversion == 0) return false;
    ++at_;
    if (IsOneOf(conversion, "%m")) return true;
    FormatArgument taken = {FormatArgument::kWord};
    if (IsOneOf(conversion, "aAeEfFgG")) {
      taken = {width.is_long_double ? FormatArgument::kLongDouble : FormatArgument::kDouble};
    } else if (conversion == 'n') {
      taken = {FormatArgument::kCount, width.size};
    } else if (IsOneOf(conversion, "sS")) {
      if (width.is_long || conversion == 'S') text.kind = FormatArgument::kWideText;
      taken = text;
    } else if (!IsOneOf(conversion, "diouxXbBcCp")) {
      return false;
    }
    return Take(taken, position) >= 0;
  }

  enum class Order { kUnknown, kTheirs, kNamed };

  const char* at_;
  std::span<FormatArgument> arguments_;
  int count_ = 0;
  std::uint64_t named_ = 0;  // a bit for each argument
  Order order_ = Order::kUnknown;
};

}  // namespace

int ReadFormat(const char* format, std::span<FormatArgument> arguments) {
  return Reader(format, arguments).Read();
}

}  // namespace heddle
