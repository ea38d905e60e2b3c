#include "runtime/interpose/formatted.h"

#include <algorithm>
#include <cstring>

#include "runtime/engine.h"
#include "runtime/interpose/buffers.h"
#include "runtime/interpose/format.h"
#include "runtime/memory/arena.h"

namespace heddle {
namespace {

// What va_arg looks at on x86-64: all registers were used, so all arguments lie in memory.
struct InMemory {
  unsigned general_offset = 6 * 8;
  unsigned vector_offset = 6 * 8 + 8 * 16;
  void* arguments;
  void* registers = nullptr;
};
static_assert(sizeof(InMemory) == sizeof(va_list));

// Bytes of a text that ends at its zero or before `limit`, with the zero when it is reached.
std::size_t ExtentOf(const char* text, std::size_t limit) {
  const std::size_t length = strnlen(text, limit);
  return length < limit ? length + 1 : limit;
}

bool IsFollowed(const FormatArgument& argument) {
  return argument.kind == FormatArgument::kText || argument.kind == FormatArgument::kCount;
}

}  // namespace

char* AllocateText(std::size_t size) { return static_cast<char*>(ArenaAllocate(size)); }
void FreeText(char* text) { ArenaFree(text); }

FormattedArguments::FormattedArguments(const char* format, Arguments given, std::uint64_t site)
    : site_(IsSeenCaller(site) ? site : 0), given_(given) {
  if (site_ == 0 || format == nullptr) return;
  are_events_ = IsPointOfCaller(site);
  FormatArgument arguments[kMost];
  const int count = ReadFormat(format, arguments);
  if (count <= 0 || std::none_of(arguments, arguments + count, IsFollowed)) return;
  va_list list;
  va_copy(list, given);
  std::size_t precision = SIZE_MAX;
  for (int i = 0; i < count; ++i) {
    const FormatArgument& argument = arguments[i];
    switch (argument.kind) {
      case FormatArgument::kWord: {
        const auto word = va_arg(list, std::uint64_t);
        Add(&word, sizeof word);
        break;
      }
      case FormatArgument::kDouble: {
        const auto number = va_arg(list, double);
        Add(&number, sizeof number);
        break;
      }
      case FormatArgument::kLongDouble: {
        const auto number = va_arg(list, long double);
        used_ += used_ % 2;
        Add(&number, sizeof number);
        break;
      }
      case FormatArgument::kPrecision: {
        const std::int64_t most = va_arg(list, int);
        if (most >= 0) precision = static_cast<std::size_t>(most);
        Add(&most, sizeof most);
        continue;
      }
      case FormatArgument::kText: {
        const char* text = va_arg(list, const char*);
        if (text != nullptr) text = ReadText(text, std::min(precision, argument.size));
        Add(&text, sizeof text);
        break;
      }
      case FormatArgument::kCount: {
        void* const to = va_arg(list, void*);
        void* const own = Keep({.given = to, .size = argument.size, .is_count = true});
        Add(&own, sizeof own);
        break;
      }
    }
    precision = SIZE_MAX;
  }
  va_end(list);
}

FormattedArguments::~FormattedArguments() {
  for (int i = 0; i < kept_count_; ++i) ArenaFree(kept_[i].own);
}

void FormattedArguments::Add(const void* bytes, std::size_t size) {
  std::memcpy(words_ + used_, bytes, size);
  used_ += size / sizeof *words_;
}

// Where the call finds it.
void* FormattedArguments::Keep(const Kept& kept) {
  if (!are_events_ && !kept.is_count) return kept.given;
  Kept& added = kept_[kept_count_++] = kept;
  if (!are_events_) return added.given;
  added.own = ArenaAllocate(std::max<std::size_t>(added.size, 1));
  return added.own;
}

const char* FormattedArguments::ReadText(const char* text, std::size_t limit) {
  heddle_access_range(site_, text, ExtentOf(text, limit), 0);
  if (!are_events_) return text;
  // As it is now.
  const std::size_t length = strnlen(text, limit);
  auto* const own = static_cast<char*>(
      Keep({.given = const_cast<char*>(text), .size = length + 1, .is_count = false}));
  std::memcpy(own, text, length);
  own[length] = 0;
  return own;
}

Arguments FormattedArguments::list() {
  if (used_ == 0 || !are_events_) {
    va_copy(list_, given_);
  } else {
    const InMemory list = {.arguments = words_};
    std::memcpy(&list_, &list, sizeof list);
  }
  return list_;
}

int FormattedArguments::Made(int result) {
  if (result < 0) return result;
  for (int i = 0; i < kept_count_; ++i) {
    const Kept& kept = kept_[i];
    if (!kept.is_count) continue;
    Put(static_cast<char*>(kept.given),
        static_cast<const char*>(are_events_ ? kept.own : kept.given), kept.size);
  }
  return result;
}

void FormattedArguments::Put(char* to, const char* made, std::size_t size) const {
  if (site_ != 0) heddle_access_range(site_, to, size, 1);
  if (made != to) std::memcpy(to, made, size);
}

}  // namespace heddle
