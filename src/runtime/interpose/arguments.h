// Arguments of a call with `...`, and lists of our own making.
#ifndef HEDDLE_RUNTIME_INTERPOSE_ARGUMENTS_H_
#define HEDDLE_RUNTIME_INTERPOSE_ARGUMENTS_H_

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace heddle {

// A va_list as a function is given it.
using Arguments = std::remove_extent_t<va_list>*;

// A list that is given its arguments one by one.
template <std::size_t kRoom>
class ArgumentWords {
 public:
  template <typename Value>
  void Add(Value value) {
    if constexpr (alignof(Value) > sizeof *words_) used_ += used_ % 2;
    static_assert(sizeof value % sizeof *words_ == 0);
    std::memcpy(words_ + used_, &value, sizeof value);
    used_ += sizeof value / sizeof *words_;
  }

  bool is_empty() const { return used_ == 0; }

  // From the first argument on.
  void Make(va_list* list) {
    // What va_arg looks at on x86-64: all registers were used, so all arguments lie in memory.
    struct InMemory {
      unsigned general_offset = 6 * 8;
      unsigned vector_offset = 6 * 8 + 8 * 16;
      void* arguments;
      void* registers = nullptr;
    };
    static_assert(sizeof(InMemory) == sizeof(va_list));
    const InMemory made = {.arguments = words_};
    std::memcpy(list, &made, sizeof made);
  }

 private:
  std::size_t used_ = 0;
  alignas(16) std::uint64_t words_[kRoom];
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_ARGUMENTS_H_
