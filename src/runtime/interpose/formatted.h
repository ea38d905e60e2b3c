// What the calls of the printf family do to the program's memory: the strings that they read, what
// %n writes, and the text itself where it is made in memory. All are accesses of the caller, as in
// buffers.h. The format is taken for constant.
#ifndef HEDDLE_RUNTIME_INTERPOSE_FORMATTED_H_
#define HEDDLE_RUNTIME_INTERPOSE_FORMATTED_H_

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "runtime/interpose/arguments.h"

namespace heddle {

// The arguments of one call. Where their accesses are events, each string is copied at its event,
// and the call is given the copies in a list of our own.
class FormattedArguments {
 public:
  FormattedArguments(const char* format, Arguments given, std::uint64_t site);
  ~FormattedArguments();
  FormattedArguments(const FormattedArguments&) = delete;
  FormattedArguments& operator=(const FormattedArguments&) = delete;

  // For one call; from the first argument on each time.
  Arguments list();
  bool are_events() const { return are_events_; }

  // The text has been made: what %n counted goes where it belongs. Gives `result` back.
  int Made(int result);
  // The text has been made at `made`, and belongs at `to`.
  void Put(char* to, const char* made, std::size_t size) const;

 private:
  static constexpr int kMost = 32;

  // A count, or a string of our own.
  struct Kept {
    void* given;       // nullptr: a string
    std::size_t size;  // of a count
    void* own;         // nullptr: the program's is used
  };

  // The program's, or what the call is given in its place.
  template <typename Character>
  const Character* Read(const Character* text, std::size_t limit);
  void* Count(void* to, std::size_t size);

  std::uint64_t site_;
  Arguments given_;
  bool are_events_ = false;
  int kept_count_ = 0;
  va_list list_;
  Kept kept_[kMost];
  ArgumentWords<2 * kMost> words_;
};

char* AllocateText(std::size_t size);
void FreeText(char* text);

// Makes the text of a call with room for `size` bytes at `to`. `call` is what makes it: of (where,
// size, arguments).
template <typename Call>
int FormatInto(char* to, std::size_t size, const char* format, Arguments given, std::uint64_t site,
               const Call& call) {
  FormattedArguments arguments(format, given, site);
  const bool is_event = arguments.are_events();
  const int length =
      is_event ? call(nullptr, 0, arguments.list()) : call(to, size, arguments.list());
  if (length < 0 || size == 0) return arguments.Made(length);
  const std::size_t used = std::min(static_cast<std::size_t>(length) + 1, size);
  if (!is_event) {
    arguments.Put(to, to, used);
  } else {
    char* const text = AllocateText(used);
    call(text, used, arguments.list());
    arguments.Put(to, text, used);
    FreeText(text);
  }
  return arguments.Made(length);
}

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_FORMATTED_H_
