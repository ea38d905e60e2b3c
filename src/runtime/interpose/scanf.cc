// scanf and its relatives, under the names that the standards of C give them: with those before
// C99, %as allocates; since C23, numbers may be binary. What they do to the program's memory is in
// scanned.h.
#include <dlfcn.h>
#include <stdio.h>

#include <cstdarg>

#include "runtime/engine.h"
#include "runtime/interpose/buffers.h"
#include "runtime/interpose/scanned.h"
#include "runtime/interpose/stream.h"

namespace heddle {
namespace {

int FromStream(FILE* stream, const char* format, Arguments given, std::uint64_t site, void* next) {
  const auto scan = reinterpret_cast<decltype(&vfscanf)>(next);
  const StreamScope scope(stream, site);
  ScannedArguments arguments(format, given, site);
  return arguments.Made(scan(stream, arguments.format(), arguments.list()));
}

int FromText(const char* text, const char* format, Arguments given, std::uint64_t site,
             void* next) {
  const auto scan = reinterpret_cast<decltype(&vsscanf)>(next);
  const OutgoingText outgoing(text, site);
  ScannedArguments arguments(format, given, site);
  return arguments.Made(scan(outgoing.text(), arguments.format(), arguments.list()));
}

}  // namespace
}  // namespace heddle

// The headers of C++ call some of these names by others of them, so ours are given to the linker.
#define HEDDLE_NEXT_SCAN(name)                        \
  ([] {                                               \
    static void* const next = dlsym(RTLD_NEXT, name); \
    return next;                                      \
  }())

// With its arguments, and with a list of them.
#define HEDDLE_BOTH(standard, prefix, name, call, ...)                                       \
  HEDDLE_EXPORT int heddle##standard##v##name(__VA_ARGS__,                                   \
                                              heddle::Arguments list) asm(prefix "v" #name); \
  int heddle##standard##v##name(__VA_ARGS__, heddle::Arguments list) { return call; }        \
  HEDDLE_EXPORT int heddle##standard##name(__VA_ARGS__, ...) asm(prefix #name);              \
  int heddle##standard##name(__VA_ARGS__, ...) {                                             \
    va_list list;                                                                            \
    va_start(list, format);                                                                  \
    const int result = call;                                                                 \
    va_end(list);                                                                            \
    return result;                                                                           \
  }

#define HEDDLE_FROM_STREAM(prefix, stream) \
  heddle::FromStream(stream, format, list, HEDDLE_CALLER, HEDDLE_NEXT_SCAN(prefix "vfscanf"))

#define HEDDLE_SCANF_CALLS(standard, prefix)                                                   \
  HEDDLE_BOTH(standard, prefix, scanf, HEDDLE_FROM_STREAM(prefix, stdin), const char* format)  \
  HEDDLE_BOTH(standard, prefix, fscanf, HEDDLE_FROM_STREAM(prefix, stream), FILE* stream,      \
              const char* format)                                                              \
  HEDDLE_BOTH(                                                                                 \
      standard, prefix, sscanf,                                                                \
      heddle::FromText(text, format, list, HEDDLE_CALLER, HEDDLE_NEXT_SCAN(prefix "vsscanf")), \
      const char* text, const char* format)

HEDDLE_SCANF_CALLS(_, "")
HEDDLE_SCANF_CALLS(_c99_, "__isoc99_")
HEDDLE_SCANF_CALLS(_c23_, "__isoc23_")
