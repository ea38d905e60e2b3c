// What is read out of a stream of C++ (numbers, text, lines, bytes), and the place where a stream
// from memory or a file is read. All are accesses of the caller, as in buffers.h.
//
// The templates of the streams end in these functions of libstdc++.so. Who calls them inside the
// library is not looked at. A string is filled by a copy of what the library made of a string of
// ours.
#include <algorithm>
#include <cstring>
#include <istream>
#include <new>
#include <string>
#include <type_traits>

#include "runtime/engine.h"
#include "runtime/interpose/buffers.h"
#include "runtime/interpose/libstdcxx.h"

#define HEDDLE_STRING "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"

namespace heddle {
namespace {

// Reading moves the place where the buffer is read, or fails there.
void Extract(std::istream* stream, std::uint64_t site) {
  if (!IsSeenCaller(site) || !HasPlainBuffer(*stream)) return;
  // Behind the table and where it is read from begins. The ABI of libstdc++ fixes that.
  constexpr std::size_t kWhereItStands = 2 * sizeof(void*);
  const auto* const buffer = reinterpret_cast<const char*>(stream->rdbuf());
  heddle_access_range(site, buffer + kWhereItStands, sizeof(void*), 1);
}

// Each of these is told of what has come when the call is over, also by an exception.

// The characters that the stream counts, and perhaps a zero.
class ReadScope {
 public:
  enum Kind {
    kBytes,  // no zero
    kText,   // a zero behind them
    kLine,   // a zero in the place of the line's end, which is counted, if it has come
  };

  ReadScope(Kind kind, std::istream* from, char* to, long size, std::uint64_t site)
      : kind_(kind), from_(from), into_(to, size > 0 ? static_cast<std::size_t>(size) : 0, site) {
    Extract(from, site);
  }
  ~ReadScope() {
    const bool has_zero = kind_ == kText || (kind_ == kLine && !from_->good());
    into_.Arrived(from_->gcount() + (has_zero ? 1 : 0));
  }
  ReadScope(const ReadScope&) = delete;
  ReadScope& operator=(const ReadScope&) = delete;

  char* to() const { return static_cast<char*>(into_.bytes()); }

 private:
  Kind kind_;
  std::istream* from_;
  IncomingBytes into_;
};

// A number or a character. A call that never comes to it leaves it as it was.
template <typename Value>
class ValueScope {
 public:
  ValueScope(std::istream* from, Value* to, std::uint64_t site)
      : from_(from), to_(to), site_(IsSeenCaller(site) ? site : 0) {
    std::memset(own_, kNothing, sizeof own_);
    Extract(from, site);
  }
  ~ValueScope() {
    if (site_ == 0 || (from_->fail() && IsUntouched())) return;
    heddle_access_range(site_, to_, kSize, 1);
    std::memcpy(static_cast<void*>(to_), own_, kSize);
  }
  ValueScope(const ValueScope&) = delete;
  ValueScope& operator=(const ValueScope&) = delete;

  Value* to() { return site_ == 0 ? to_ : reinterpret_cast<Value*>(own_); }

 private:
  // What fails leaves zero, the greatest or the least value there.
  static constexpr unsigned char kNothing = 0x5a;
  // Of a long double, six bytes are nobody's.
  static constexpr std::size_t kSize = std::is_same_v<Value, long double> ? 10 : sizeof(Value);

  bool IsUntouched() const {
    return std::all_of(own_, own_ + kSize, [](unsigned char byte) { return byte == kNothing; });
  }

  std::istream* from_;
  Value* to_;
  std::uint64_t site_;
  alignas(Value) unsigned char own_[sizeof(Value)];
};

// Our string's memory is the program's, so the program's library frees it.
class StringScope {
 public:
  StringScope(std::istream* from, std::string* to, std::uint64_t site)
      : from_(from),
        to_(to),
        site_(IsSeenCaller(site) ? site : 0),
        is_event_(site_ != 0 && IsPointOfCaller(site_)) {
    if (is_event_) new (own_) std::string(1, kNothing);
    Extract(from, site);
  }
  ~StringScope() {
    if (site_ == 0) return;
    // What fails leaves nothing there.
    if (!is_event_ || !from_->fail() || to()->size() != 1) Arrived();
    using Disposes = void (*)(std::string*);
    if (is_event_) HEDDLE_NEXT_IN_LIBSTDCXX(Disposes, HEDDLE_STRING "10_M_disposeEv")(to());
  }
  StringScope(const StringScope&) = delete;
  StringScope& operator=(const StringScope&) = delete;

  std::string* to() { return is_event_ ? std::launder(reinterpret_cast<std::string*>(own_)) : to_; }

 private:
  static constexpr char kNothing = '?';
  static constexpr std::size_t kShort = 15;

  void Arrived() {
    const std::string& filled = *to();
    // Where its text is, how long it is, and the text if it is short or else its room.
    heddle_access_range(site_, to_, sizeof *to_, 1);
    if (to_->capacity() > kShort && filled.size() <= to_->capacity()) {
      heddle_access_range(site_, to_->data(), filled.size() + 1, 1);
    }
    using Assigns = std::string* (*)(std::string*, const char*, std::size_t);
    if (!is_event_) return;
    HEDDLE_NEXT_IN_LIBSTDCXX(Assigns, HEDDLE_STRING "6assignEPKcm")
    (to_, filled.data(), filled.size());
  }

  std::istream* from_;
  std::string* to_;
  std::uint64_t site_;
  bool is_event_;
  alignas(std::string) unsigned char own_[sizeof(std::string)];
};

}  // namespace
}  // namespace heddle

using heddle::ReadScope;
using heddle::StringScope;
using heddle::ValueScope;

// --- bytes and text

// X(function, name, kind): of at most so many characters.
#define HEDDLE_READS(X)                      \
  X(heddle_read, "_ZNSi4readEPcl", kBytes)   \
  X(heddle_get_text, "_ZNSi3getEPcl", kText) \
  X(heddle_get_line, "_ZNSi7getlineEPcl", kLine)

#define HEDDLE_INTERPOSE(function, name, kind)                                               \
  HEDDLE_EXPORT std::istream* function(std::istream* stream, char* to, long size) asm(name); \
  std::istream* function(std::istream* stream, char* to, long size) {                        \
    using In = std::istream* (*)(std::istream*, char*, long);                                \
    const ReadScope scope(ReadScope::kind, stream, to, size, HEDDLE_CALLER);                 \
    return HEDDLE_NEXT_IN_LIBSTDCXX(In, name)(stream, scope.to(), size);                     \
  }
HEDDLE_READS(HEDDLE_INTERPOSE)
#undef HEDDLE_INTERPOSE

// X(function, name, kind): the same up to a character.
#define HEDDLE_DELIMITED_READS(X)                   \
  X(heddle_get_text_until, "_ZNSi3getEPclc", kText) \
  X(heddle_get_line_until, "_ZNSi7getlineEPclc", kLine)

#define HEDDLE_INTERPOSE(function, name, kind)                                    \
  HEDDLE_EXPORT std::istream* function(std::istream* stream, char* to, long size, \
                                       char end) asm(name);                       \
  std::istream* function(std::istream* stream, char* to, long size, char end) {   \
    using In = std::istream* (*)(std::istream*, char*, long, char);               \
    const ReadScope scope(ReadScope::kind, stream, to, size, HEDDLE_CALLER);      \
    return HEDDLE_NEXT_IN_LIBSTDCXX(In, name)(stream, scope.to(), size, end);     \
  }
HEDDLE_DELIMITED_READS(HEDDLE_INTERPOSE)
#undef HEDDLE_INTERPOSE

// --- strings

#define HEDDLE_OF_STRINGS(name)                                     \
  name "IcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt" \
       "7__cxx1112basic_stringIS4_S5_T1_EE"
#define HEDDLE_GET_STRING HEDDLE_OF_STRINGS("_ZStrs")
#define HEDDLE_GET_LINE HEDDLE_OF_STRINGS("_ZSt7getline")
#define HEDDLE_GET_LINE_UNTIL HEDDLE_GET_LINE "S4_"

#define HEDDLE_INTERPOSE(function, name)                                                 \
  HEDDLE_EXPORT std::istream* function(std::istream* stream, std::string* to) asm(name); \
  std::istream* function(std::istream* stream, std::string* to) {                        \
    using In = std::istream* (*)(std::istream*, std::string*);                           \
    StringScope scope(stream, to, HEDDLE_CALLER);                                        \
    return HEDDLE_NEXT_IN_LIBSTDCXX(In, name)(stream, scope.to());                       \
  }
HEDDLE_INTERPOSE(heddle_extract_string, HEDDLE_GET_STRING)
HEDDLE_INTERPOSE(heddle_extract_line, HEDDLE_GET_LINE)
#undef HEDDLE_INTERPOSE

HEDDLE_EXPORT std::istream* heddle_extract_line_until(std::istream* stream, std::string* to,
                                                      char end) asm(HEDDLE_GET_LINE_UNTIL);
std::istream* heddle_extract_line_until(std::istream* stream, std::string* to, char end) {
  using In = std::istream* (*)(std::istream*, std::string*, char);
  StringScope scope(stream, to, HEDDLE_CALLER);
  return HEDDLE_NEXT_IN_LIBSTDCXX(In, HEDDLE_GET_LINE_UNTIL)(stream, scope.to(), end);
}

// --- numbers and characters

// X(function, name, type)
#define HEDDLE_EXTRACTIONS(X)                                                                 \
  X(heddle_extract_int, "_ZNSirsERi", int)                                                    \
  X(heddle_extract_short, "_ZNSirsERs", short)                                                \
  X(heddle_extract_ushort, "_ZNSi10_M_extractItEERSiRT_", unsigned short)                     \
  X(heddle_extract_uint, "_ZNSi10_M_extractIjEERSiRT_", unsigned)                             \
  X(heddle_extract_long, "_ZNSi10_M_extractIlEERSiRT_", long)                                 \
  X(heddle_extract_ulong, "_ZNSi10_M_extractImEERSiRT_", unsigned long)                       \
  X(heddle_extract_longlong, "_ZNSi10_M_extractIxEERSiRT_", long long)                        \
  X(heddle_extract_ulonglong, "_ZNSi10_M_extractIyEERSiRT_", unsigned long long)              \
  X(heddle_extract_bool, "_ZNSi10_M_extractIbEERSiRT_", bool)                                 \
  X(heddle_extract_float, "_ZNSi10_M_extractIfEERSiRT_", float)                               \
  X(heddle_extract_double, "_ZNSi10_M_extractIdEERSiRT_", double)                             \
  X(heddle_extract_longdouble, "_ZNSi10_M_extractIeEERSiRT_", long double)                    \
  X(heddle_extract_pointer, "_ZNSi10_M_extractIPvEERSiRT_", void*)                            \
  X(heddle_extract_char, "_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_", char) \
  X(heddle_get_char, "_ZNSi3getERc", char)

#define HEDDLE_INTERPOSE(function, name, type)                                       \
  HEDDLE_EXPORT std::istream* function(std::istream* stream, type* value) asm(name); \
  std::istream* function(std::istream* stream, type* value) {                        \
    using In = std::istream* (*)(std::istream*, type*);                              \
    heddle::ValueScope<type> scope(stream, value, HEDDLE_CALLER);                    \
    return HEDDLE_NEXT_IN_LIBSTDCXX(In, name)(stream, scope.to());                   \
  }
HEDDLE_EXTRACTIONS(HEDDLE_INTERPOSE)
#undef HEDDLE_INTERPOSE

HEDDLE_EXPORT int heddle_get(std::istream* stream) asm("_ZNSi3getEv");
int heddle_get(std::istream* stream) {
  using In = int (*)(std::istream*);
  heddle::Extract(stream, HEDDLE_CALLER);
  return HEDDLE_NEXT_IN_LIBSTDCXX(In, "_ZNSi3getEv")(stream);
}
