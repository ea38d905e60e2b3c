// What the calls of the printf family do to the program's memory: the strings that they read, what
// %n writes, and the text itself where it is made in memory. All are accesses of the caller, as in
// buffers.h. The format is taken for constant; wide strings are not looked at.
#ifndef HEDDLE_RUNTIME_INTERPOSE_FORMATTED_H_
#define HEDDLE_RUNTIME_INTERPOSE_FORMATTED_H_

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle {

// A va_list as a function is given it.
using Arguments = std::remove_extent_t<va_list>*;

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

  // A string or a count.
  struct Kept {
    void* given;
    std::size_t size;
    bool is_count;
    void* own = nullptr;  // nullptr: the program's is used
  };

  // An argument that was read from the list and goes into ours.
  void Add(const void* bytes, std::size_t size);
  void* Keep(const Kept& kept);
  const char* ReadText(const char* text, std::size_t limit);

  std::uint64_t site_;
  Arguments given_;
  bool are_events_ = false;
  int kept_count_ = 0;
  std::size_t used_ = 0;  // of `words_`
  va_list list_;
  Kept kept_[kMost];
  alignas(16) std::uint64_t words_[2 * kMost];
};

// The engine's own messages about failures are made by snprintf, where nothing may be looked up
// any more: once, before.
void PrepareSnprintf();

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
