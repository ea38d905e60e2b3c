// What goes into a stream of C++, and the place where a stream into memory or a file is written.
// All are accesses of the caller, as in buffers.h.
//
// The templates of the streams end in these few functions of libstdc++.so. Who calls them inside
// the library is not looked at.
#include <ostream>
#include <string>

#include "runtime/engine.h"
#include "runtime/interpose/buffers.h"
#include "runtime/interpose/libstdcxx.h"

namespace heddle {
namespace {

// An insertion moves the place where the buffer is written.
void Insert(std::ostream* stream, std::uint64_t site) {
  if (!IsSeenCaller(site) || !HasPlainBuffer(*stream)) return;
  // Behind the table: where it is read from begins, stands and ends, then where it is written to
  // begins and stands. The ABI of libstdc++ fixes that.
  constexpr std::size_t kWhereItStands = 5 * sizeof(void*);
  const auto* const buffer = reinterpret_cast<const char*>(stream->rdbuf());
  heddle_access_range(site, buffer + kWhereItStands, sizeof(void*), 1);
}

}  // namespace
}  // namespace heddle

#define HEDDLE_INSERT_BYTES \
  "_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l"
#define HEDDLE_INSERT_TEXT "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc"
#define HEDDLE_INSERT_STRING                                          \
  "_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt" \
  "7__cxx1112basic_stringIS4_S5_T1_EE"

using OutBytes = std::ostream* (*)(std::ostream*, const char*, long);

#define HEDDLE_OUT_BYTES(function, name)                                             \
  HEDDLE_EXPORT std::ostream* function(std::ostream* stream, const char* bytes,      \
                                       long size) asm(name);                         \
  std::ostream* function(std::ostream* stream, const char* bytes, long size) {       \
    const std::size_t count = size > 0 ? static_cast<std::size_t>(size) : 0;         \
    const heddle::OutgoingBytes outgoing(bytes, count, HEDDLE_CALLER);               \
    heddle::Insert(stream, HEDDLE_CALLER);                                           \
    return HEDDLE_NEXT_IN_LIBSTDCXX(OutBytes, name)(stream, outgoing.bytes(), size); \
  }
HEDDLE_OUT_BYTES(heddle_insert_bytes, HEDDLE_INSERT_BYTES)
HEDDLE_OUT_BYTES(heddle_write, "_ZNSo5writeEPKcl")

HEDDLE_EXPORT std::ostream* heddle_insert_text(std::ostream* stream,
                                               const char* text) asm(HEDDLE_INSERT_TEXT);
std::ostream* heddle_insert_text(std::ostream* stream, const char* text) {
  using Out = std::ostream* (*)(std::ostream*, const char*);
  const heddle::OutgoingText outgoing(text, HEDDLE_CALLER);
  heddle::Insert(stream, HEDDLE_CALLER);
  return HEDDLE_NEXT_IN_LIBSTDCXX(Out, HEDDLE_INSERT_TEXT)(stream, outgoing.text());
}

// What the string says of itself, and then its text.
HEDDLE_EXPORT std::ostream* heddle_insert_string(std::ostream* stream,
                                                 const std::string* text) asm(HEDDLE_INSERT_STRING);
std::ostream* heddle_insert_string(std::ostream* stream, const std::string* text) {
  constexpr std::size_t kPointerAndSize = 2 * sizeof(void*);
  if (heddle::IsSeenCaller(HEDDLE_CALLER)) {
    heddle_access_range(HEDDLE_CALLER, text, kPointerAndSize, 0);
  }
  const char* const bytes = text->data();
  const std::size_t size = text->size();
  const heddle::OutgoingBytes outgoing(bytes, size, HEDDLE_CALLER);
  heddle::Insert(stream, HEDDLE_CALLER);
  return HEDDLE_NEXT_IN_LIBSTDCXX(OutBytes, HEDDLE_INSERT_BYTES)(stream, outgoing.bytes(),
                                                                 static_cast<long>(size));
}

// Numbers and characters. X(function, name, type)
#define HEDDLE_INSERTIONS(X)                                                           \
  X(heddle_insert_int, "_ZNSolsEi", int)                                               \
  X(heddle_insert_short, "_ZNSolsEs", short)                                           \
  X(heddle_insert_long, "_ZNSo9_M_insertIlEERSoT_", long)                              \
  X(heddle_insert_ulong, "_ZNSo9_M_insertImEERSoT_", unsigned long)                    \
  X(heddle_insert_longlong, "_ZNSo9_M_insertIxEERSoT_", long long)                     \
  X(heddle_insert_ulonglong, "_ZNSo9_M_insertIyEERSoT_", unsigned long long)           \
  X(heddle_insert_bool, "_ZNSo9_M_insertIbEERSoT_", bool)                              \
  X(heddle_insert_double, "_ZNSo9_M_insertIdEERSoT_", double)                          \
  X(heddle_insert_longdouble, "_ZNSo9_M_insertIeEERSoT_", long double)                 \
  X(heddle_insert_pointer, "_ZNSo9_M_insertIPKvEERSoT_", const void*)                  \
  X(heddle_insert_char, "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c", char) \
  X(heddle_put, "_ZNSo3putEc", char)

#define HEDDLE_INTERPOSE(function, name, type)                                      \
  HEDDLE_EXPORT std::ostream* function(std::ostream* stream, type value) asm(name); \
  std::ostream* function(std::ostream* stream, type value) {                        \
    using Out = std::ostream* (*)(std::ostream*, type);                             \
    heddle::Insert(stream, HEDDLE_CALLER);                                          \
    return HEDDLE_NEXT_IN_LIBSTDCXX(Out, name)(stream, value);                      \
  }
HEDDLE_INSERTIONS(HEDDLE_INTERPOSE)
