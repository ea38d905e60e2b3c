#include "runtime/interpose/scanned.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include "runtime/engine.h"
#include "runtime/interpose/buffers.h"
#include "runtime/memory/arena.h"

namespace heddle {
namespace {

// Fills the room of a count: none is that great.
constexpr int kNothing = 0xff;

// Of a text that has arrived, with its zero.
std::size_t BytesOf(const void* text, std::size_t character) {
  if (character == sizeof(char)) return std::strlen(static_cast<const char*>(text)) + 1;
  return (std::wcslen(static_cast<const wchar_t*>(text)) + 1) * character;
}

}  // namespace

ScannedArguments::ScannedArguments(const char* format, Arguments given, std::uint64_t site)
    : format_(format), given_(given), site_(IsSeenCaller(site) ? site : 0) {
  if (site_ == 0 || format == nullptr) return;
  count_ = std::max(ReadScanFormat(format, arguments_), 0);
  va_list list;
  va_copy(list, given);
  for (int i = 0; i < count_; ++i) to_[i] = va_arg(list, void*);
  va_end(list);
  are_events_ = count_ > 0 && IsPointOfCaller(site);
  if (are_events_) StandIn();
}

ScannedArguments::~ScannedArguments() {
  if (!are_events_) return;
  for (int i = 0; i < count_; ++i) {
    if (arguments_[i].kind == ScanArgument::kText) std::free(own_[i].text);
  }
  ArenaFree(own_format_);
}

void ScannedArguments::StandIn() {
  const std::size_t size = std::strlen(format_) + 1;
  own_format_ = static_cast<char*>(ArenaAllocate(size + static_cast<std::size_t>(count_)));
  std::size_t copied = 0;
  char* at = own_format_;
  const auto copy_to = [&](std::size_t end) {
    at = std::copy(format_ + copied, format_ + end, at);
    copied = end;
  };
  for (int i = 0; i < count_; ++i) {
    const ScanArgument& argument = arguments_[i];
    Own& own = own_[i];
    switch (argument.kind) {
      case ScanArgument::kValue:
        words_.Add(&own);
        break;
      case ScanArgument::kCount:
        std::memset(&own, kNothing, sizeof own);
        words_.Add(&own);
        break;
      case ScanArgument::kText:
        copy_to(argument.place);
        *at++ = 'm';
        own.text = nullptr;
        words_.Add(&own);
        break;
      case ScanArgument::kCharacters:
        words_.Add(to_[i]);  // how many have come is never known
        break;
    }
  }
  copy_to(size);
}

Arguments ScannedArguments::list() {
  if (are_events_) {
    words_.Make(&list_);
  } else {
    va_copy(list_, given_);
  }
  return list_;
}

int ScannedArguments::Made(int result) {
  const int error = errno;
  int conversions = 0;
  for (int i = 0; i < count_; ++i) {
    if (arguments_[i].kind == ScanArgument::kCount) {
      if (IsCounted(i)) Arrived(i);
    } else if (conversions++ < result) {
      Arrived(i);
    }
  }
  errno = error;
  return result;
}

// Without a place of our own nobody knows.
bool ScannedArguments::IsCounted(int argument) const {
  if (!are_events_) return true;
  const unsigned char* const bytes = own_[argument].bytes;
  return std::any_of(bytes, bytes + arguments_[argument].size,
                     [](unsigned char byte) { return byte != kNothing; });
}

void ScannedArguments::Arrived(int argument) {
  const ScanArgument& arrived = arguments_[argument];
  void* const to = to_[argument];
  const void* from = &own_[argument];
  std::size_t size = arrived.size;
  if (arrived.kind == ScanArgument::kText) {
    from = are_events_ ? own_[argument].text : to;
    size = BytesOf(from, arrived.size);
  }
  heddle_access_range(site_, to, size, 1);
  if (are_events_ && arrived.kind != ScanArgument::kCharacters) std::memcpy(to, from, size);
}

}  // namespace heddle
