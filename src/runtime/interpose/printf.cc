// printf and its relatives, also as -D_FORTIFY_SOURCE makes them (checked.cc). What they do to the
// program's memory is in formatted.h.
#include "runtime/interpose/printf.h"

#include <stdio.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>

#include "runtime/engine.h"
#include "runtime/interpose/formatted.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/stream.h"

extern "C" {
[[noreturn]] void __chk_fail() noexcept;
int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list list);
int __vsprintf_chk(char* to, int flag, std::size_t room, const char* format, va_list list) noexcept;
int __vsnprintf_chk(char* to, std::size_t size, int flag, std::size_t room, const char* format,
                    va_list list) noexcept;
int __vasprintf_chk(char** to, int flag, const char* format, va_list list) noexcept;
}

namespace heddle {
namespace {

// Of a call that is not fortified.
constexpr int kUnchecked = -1;
// Of one that is not told how much room there is.
constexpr std::size_t kNoLimit = SIZE_MAX;

int ToStream(FILE* stream, int flag, const char* format, Arguments given, std::uint64_t site) {
  const StreamScope scope(stream, site);
  FormattedArguments arguments(format, given, site);
  return arguments.Made(flag == kUnchecked
                            ? HEDDLE_NEXT(vfprintf)(stream, format, arguments.list())
                            : HEDDLE_NEXT(__vfprintf_chk)(stream, flag, format, arguments.list()));
}

// libc writes to the descriptor with a call of its own. Who makes the text is libc all the same.
int ToDescriptor(int descriptor, const char* format, Arguments given, std::uint64_t site) {
  FormattedArguments arguments(format, given, site);
  if (IoScheduler() == nullptr || !IsChannel(descriptor)) {
    const OutputScope output(descriptor, site);
    return arguments.Made(HEDDLE_NEXT(vdprintf)(descriptor, format, arguments.list()));
  }
  char* text = nullptr;
  const int size = HEDDLE_NEXT(vasprintf)(&text, format, arguments.list());
  if (size < 0) return size;
  const ssize_t written = write(descriptor, text, static_cast<std::size_t>(size));
  free(text);
  return arguments.Made(static_cast<int>(written));
}

auto* RealSnprintf() { return HEDDLE_NEXT(vsnprintf); }

int ToText(char* to, std::size_t size, const char* format, Arguments given, std::uint64_t site) {
  return FormatInto(to, size, format, given, site,
                    [format](char* at, std::size_t room, Arguments list) {
                      return room == kNoLimit ? HEDDLE_NEXT(vsprintf)(at, format, list)
                                              : RealSnprintf()(at, room, format, list);
                    });
}

// `room` is what the compiler knows of; where `size` says more, the call ends the program.
int ToCheckedText(char* to, std::size_t size, int flag, std::size_t room, const char* format,
                  Arguments given, std::uint64_t site) {
  if (size != kNoLimit && room < size) __chk_fail();
  return FormatInto(to, size, format, given, site, [=](char* at, std::size_t most, Arguments list) {
    if (most == kNoLimit) {
      return HEDDLE_NEXT(__vsprintf_chk)(at, flag, room, format, list);
    }
    const int length = HEDDLE_NEXT(__vsnprintf_chk)(at, most, flag, most, format, list);
    if (length >= 0 && size == kNoLimit && static_cast<std::size_t>(length) >= room) {
      __chk_fail();
    }
    return length;
  });
}

int ToNewText(char** to, int flag, const char* format, Arguments given, std::uint64_t site) {
  FormattedArguments arguments(format, given, site);
  char* text = nullptr;
  const int result = flag == kUnchecked
                         ? HEDDLE_NEXT(vasprintf)(&text, format, arguments.list())
                         : HEDDLE_NEXT(__vasprintf_chk)(&text, flag, format, arguments.list());
  if (result >= 0) arguments.Made(result);
  arguments.Put(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(&text), sizeof text);
  return result;
}

}  // namespace

void PrepareSnprintf() { RealSnprintf(); }

}  // namespace heddle

using heddle::kNoLimit;
using heddle::kUnchecked;
using heddle::ToCheckedText;
using heddle::ToDescriptor;
using heddle::ToNewText;
using heddle::ToStream;
using heddle::ToText;

// Each is there with its arguments and with a list of them.
// X(prefix, name, noexcept or nothing, what is called, parameters)
#define HEDDLE_PRINTF_CALLS(X)                                                                     \
  X(, printf, , ToStream(stdout, kUnchecked, format, list, HEDDLE_CALLER), const char* format)     \
  X(, fprintf, , ToStream(stream, kUnchecked, format, list, HEDDLE_CALLER), FILE* stream,          \
    const char* format)                                                                            \
  X(, dprintf, , ToDescriptor(descriptor, format, list, HEDDLE_CALLER), int descriptor,            \
    const char* format)                                                                            \
  X(, sprintf, noexcept, ToText(to, kNoLimit, format, list, HEDDLE_CALLER), char* to,              \
    const char* format)                                                                            \
  X(, snprintf, noexcept, ToText(to, size, format, list, HEDDLE_CALLER), char* to,                 \
    std::size_t size, const char* format)                                                          \
  X(, asprintf, noexcept, ToNewText(to, kUnchecked, format, list, HEDDLE_CALLER), char** to,       \
    const char* format)                                                                            \
  X(__, printf_chk, , ToStream(stdout, flag, format, list, HEDDLE_CALLER), int flag,               \
    const char* format)                                                                            \
  X(__, fprintf_chk, , ToStream(stream, flag, format, list, HEDDLE_CALLER), FILE* stream,          \
    int flag, const char* format)                                                                  \
  X(__, dprintf_chk, , ToDescriptor(descriptor, format, list, HEDDLE_CALLER), int descriptor, int, \
    const char* format)                                                                            \
  X(__, sprintf_chk, noexcept,                                                                     \
    ToCheckedText(to, kNoLimit, flag, room, format, list, HEDDLE_CALLER), char* to, int flag,      \
    std::size_t room, const char* format)                                                          \
  X(__, snprintf_chk, noexcept, ToCheckedText(to, size, flag, room, format, list, HEDDLE_CALLER),  \
    char* to, std::size_t size, int flag, std::size_t room, const char* format)                    \
  X(__, asprintf_chk, noexcept, ToNewText(to, flag, format, list, HEDDLE_CALLER), char** to,       \
    int flag, const char* format)

#define HEDDLE_INTERPOSE(prefix, name, never_throws, call, ...)                              \
  HEDDLE_EXPORT int prefix##v##name(__VA_ARGS__, va_list list) never_throws { return call; } \
  HEDDLE_EXPORT int prefix##name(__VA_ARGS__, ...) never_throws {                            \
    va_list list;                                                                            \
    va_start(list, format);                                                                  \
    const int result = call;                                                                 \
    va_end(list);                                                                            \
    return result;                                                                           \
  }
HEDDLE_PRINTF_CALLS(HEDDLE_INTERPOSE)
