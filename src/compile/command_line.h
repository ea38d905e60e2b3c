// What a gcc or clang command line asks for, as far as instrumenting has to know.
#ifndef HEDDLE_COMPILE_COMMAND_LINE_H_
#define HEDDLE_COMPILE_COMMAND_LINE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class InputKind : std::uint8_t {
  kSource,     // C, C++, their headers, preprocessed or not: code that can be instrumented
  kAssembler,  // goes through the compiler, not through the instrumentation
  kLinkable,   // objects, archives, libraries, linker scripts
};

struct Input {
  std::string path;
  InputKind kind = InputKind::kLinkable;
};

struct CommandLine {
  std::vector<std::string> arguments;  // response files expanded
  std::vector<Input> inputs;

  // What happens. A question (--version, -print-…, -v alone) does neither.
  bool compiles = false;  // some source is preprocessed or compiled
  bool links = false;

  bool is_shared = false;       // links a shared library
  bool is_relocatable = false;  // links objects into an object
  bool is_static = false;       // asks for a program without shared libraries
  bool is_32_bit = false;
  bool uses_lto = false;
  bool optimises = false;
  bool records_coverage = false;
  bool is_fortified = false;  // _FORTIFY_SOURCE is defined
  bool defines_ndebug = false;

  // Positions in `arguments` of what asks for ThreadSanitizer, to be replaced by `without_thread`.
  struct ThreadSanitizer {
    std::size_t position = 0;
    std::string without_thread;  // "-fsanitize=undefined"; empty: nothing is left
  };
  std::vector<ThreadSanitizer> thread_sanitizer;
  std::string refused_sanitizer;  // "address" …: can't live beside heddle; empty: none
};

// `arguments` without the compiler's own name. A response file that can't be read is left as it
// stands: complaining is the compiler's part.
CommandLine ParseCommandLine(const std::vector<std::string>& arguments);

}  // namespace heddle

#endif  // HEDDLE_COMPILE_COMMAND_LINE_H_
