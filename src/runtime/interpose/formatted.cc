#include "runtime/interpose/formatted.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <cwchar>

#include "runtime/engine.h"
#include "runtime/interpose/buffers.h"
#include "runtime/interpose/format.h"
#include "runtime/memory/arena.h"

namespace heddle {
namespace {

// A value of the list, whatever it is.
union Value {
  std::uint64_t word;
  double number;
  long double long_number;
};

// As many characters of a text as make `bytes` bytes, or one more: that one does not fit.
std::size_t CharactersWithin(const wchar_t* text, std::size_t bytes) {
  if (bytes == SIZE_MAX) return SIZE_MAX;
  std::mbstate_t state = {};
  std::size_t count = 0;
  for (std::size_t made = 0; made < bytes; ++count) {
    char one[MB_LEN_MAX];
    const std::size_t size = std::wcrtomb(one, text[count], &state);
    if (text[count] == 0 || size == static_cast<std::size_t>(-1)) return count + 1;
    made += size;
  }
  return count;
}

bool IsFollowed(const FormatArgument& argument) {
  return argument.kind == FormatArgument::kText || argument.kind == FormatArgument::kWideText ||
         argument.kind == FormatArgument::kCount;
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
  // What says how far a text is read may come behind it.
  Value values[kMost];
  va_list list;
  va_copy(list, given);
  for (int i = 0; i < count; ++i) {
    switch (arguments[i].kind) {
      case FormatArgument::kDouble:
        values[i].number = va_arg(list, double);
        break;
      case FormatArgument::kLongDouble:
        values[i].long_number = va_arg(list, long double);
        break;
      default:
        values[i].word = va_arg(list, std::uint64_t);
    }
  }
  va_end(list);
  const auto most = [&](const FormatArgument& text) {
    if (text.precision_in < 0) return text.size;
    const auto precision = static_cast<int>(values[text.precision_in].word);
    return precision < 0 ? SIZE_MAX : static_cast<std::size_t>(precision);
  };
  for (int i = 0; i < count; ++i) {
    const FormatArgument& argument = arguments[i];
    void* const pointer = reinterpret_cast<void*>(values[i].word);
    switch (argument.kind) {
      case FormatArgument::kWord:
      case FormatArgument::kPrecision:
        words_.Add(values[i].word);
        break;
      case FormatArgument::kDouble:
        words_.Add(values[i].number);
        break;
      case FormatArgument::kLongDouble:
        words_.Add(values[i].long_number);
        break;
      case FormatArgument::kText:
        words_.Add(Read(static_cast<const char*>(pointer), most(argument)));
        break;
      case FormatArgument::kWideText: {
        const auto* const text = static_cast<const wchar_t*>(pointer);
        words_.Add(Read(text, text == nullptr ? 0 : CharactersWithin(text, most(argument))));
        break;
      }
      case FormatArgument::kCount:
        words_.Add(Count(pointer, argument.size));
        break;
    }
  }
}

FormattedArguments::~FormattedArguments() {
  for (int i = 0; i < kept_count_; ++i) ArenaFree(kept_[i].own);
}

template <typename Character>
const Character* FormattedArguments::Read(const Character* text, std::size_t limit) {
  if (text == nullptr) return nullptr;
  Character* const own = ReadText(text, limit, site_);
  if (own == nullptr) return text;
  kept_[kept_count_++] = {.given = nullptr, .size = 0, .own = own};
  return own;
}

void* FormattedArguments::Count(void* to, std::size_t size) {
  Kept& kept = kept_[kept_count_++] = {.given = to, .size = size, .own = nullptr};
  if (!are_events_) return to;
  kept.own = ArenaAllocate(size);
  return kept.own;
}

Arguments FormattedArguments::list() {
  if (words_.is_empty() || !are_events_) {
    va_copy(list_, given_);
  } else {
    words_.Make(&list_);
  }
  return list_;
}

int FormattedArguments::Made(int result) {
  if (result < 0) return result;
  for (int i = 0; i < kept_count_; ++i) {
    const Kept& kept = kept_[i];
    if (kept.given == nullptr) continue;
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
