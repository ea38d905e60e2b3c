// From addresses of a worker to what people wrote, and back.
//
// A Symbolizer is made from the modules a worker reported, so all addresses are that worker's. It
// is an interface: the real one reads ELF and DWARF (symbols/dwarf_symbolizer.h), tests of reports
// use a table (symbols/fake_symbolizer.h).
#ifndef HEDDLE_SYMBOLS_SYMBOLIZER_H_
#define HEDDLE_SYMBOLS_SYMBOLIZER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/channel.h"

namespace heddle {

// One function activation; an address inside inlined code has several.
struct Frame {
  std::string function;  // demangled, without return type; empty = unknown
  std::string file;      // as the compiler recorded it, made absolute; empty = unknown
  int line = 0;
  int column = 0;
  std::string module;        // path of the file it was loaded from
  std::uint64_t offset = 0;  // of the address in that module
  bool is_inlined = false;   // its caller is the next frame of the same address
  bool is_system = false;    // standard library, libc or heddle itself: not what the user wrote

  friend bool operator==(const Frame&, const Frame&) = default;
};

// A source line to look for in (perhaps another build of) the program.
struct LineQuery {
  std::string module;    // ModuleName of the module; empty = any
  std::string function;  // as in Frame
  std::uint64_t line_hash = 0;
  int line_hint = 0;  // where it was
};

// A line of that function whose text has that hash.
struct LineMatch {
  std::string file;
  int line = 0;
  int distance = 0;  // lines from the hint
  // The line's code, with whatever is inlined into it; sorted, never overlapping. Module is an
  // index into modules(). A return address r is a call on this line when begin < r <= end.
  std::vector<CodeRange> ranges;
};

// Not thread-safe; remembers what it has looked up. Nothing fails: what is unknown stays empty.
class Symbolizer {
 public:
  virtual ~Symbolizer() = default;

  virtual std::span<const ModuleRecord> modules() const = 0;

  // The activations at an instruction, innermost first; at least one (module and offset only, or
  // nothing at all, when there are no symbols). The reference lives as long as the Symbolizer.
  virtual const std::vector<Frame>& FramesAt(std::uint64_t pc) = 0;

  // "counter", "account.balance", "forks[2]", "f()::calls"; "" when the address has no symbol.
  virtual std::string NameOfData(std::uint64_t address) = 0;
  // Whether a variable of such a type lies there; false when that is not known.
  virtual bool IsFloatingPoint(std::uint64_t address) = 0;

  // Text of a source line; nothing when the file can't be read.
  virtual std::optional<std::string> SourceLine(const std::string& file, int line) = 0;

  // Every line of the function with that text, nearest to the hint first.
  virtual std::vector<LineMatch> FindLine(const LineQuery& query) = 0;

  // The activations of the call that returns to this address.
  const std::vector<Frame>& FramesOfReturn(std::uint64_t return_address) {
    return FramesAt(return_address == 0 ? 0 : return_address - 1);
  }
  // Hash of the text of a frame's line; 0 when the text is not to be had.
  std::uint64_t LineHashOf(const Frame& frame);
  std::optional<SiteRef> SiteOf(std::uint64_t pc) const;
  std::uint64_t AddressOf(SiteRef site) const;
};

// Hash of a line's text: white space at the ends is dropped, runs inside count as one blank.
std::uint64_t LineHash(std::string_view text);

// What people want to see: the innermost activation that is not system code; the innermost of all
// when there is none. `frames` is not empty.
const Frame& UserFrame(std::span<const Frame> frames);

// How a module is called in files that outlive a build: "program" for the first (the executable),
// the file name for others.
std::string ModuleName(std::span<const ModuleRecord> modules, std::size_t index);

// "a.cpp:12" with the directory dropped; "" when the file is unknown.
std::string ShortLocation(const Frame& frame);

// The real one. Modules whose file is gone or has another build-id get no symbols.
std::unique_ptr<Symbolizer> MakeSymbolizer(std::span<const ModuleRecord> modules);

}  // namespace heddle

#endif  // HEDDLE_SYMBOLS_SYMBOLIZER_H_
