#include "runtime/code/function_code.h"

#include <cstring>

// Of libgcc; no header declares them.
extern "C" {
struct dwarf_eh_bases {
  void* tbase;
  void* dbase;
  void* func;
};
const void* _Unwind_Find_FDE(void* pc, dwarf_eh_bases* bases);
}

namespace heddle {
namespace {

// How a pointer is written in these tables.
constexpr std::uint8_t kAbsolute = 0x00, kLeb = 0x01, kFourBytes = 0x03, kRelative4 = 0x1b,
                       kOmitted = 0xff;

template <class T>
T Take(const std::uint8_t** at) {
  T value;
  std::memcpy(&value, *at, sizeof value);
  *at += sizeof value;
  return value;
}

std::uint64_t TakeLeb(const std::uint8_t** at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = *(*at)++;
    if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) return value;
  }
}

bool TakePointer(const std::uint8_t** at, std::uint8_t encoding, std::uint64_t* value) {
  const auto here = reinterpret_cast<std::uint64_t>(*at);
  if (encoding == kAbsolute) {
    *value = Take<std::uint64_t>(at);
    return true;
  }
  if (encoding != kRelative4) return false;
  const auto distance = Take<std::int32_t>(at);
  *value = distance == 0 ? 0 : here + static_cast<std::uint64_t>(std::int64_t{distance});
  return true;
}

// Of what a description of a function says beyond the usual.
struct Augmentation {
  bool is_known = false;
  std::uint8_t handlers = kOmitted;  // how their place is written
  std::uint8_t places = kAbsolute;
};

// `common`: what descriptions of functions share: length, 0, version, a string of letters, two
// alignments, the register of the return address, then a value for each letter.
Augmentation ReadCommon(const std::uint8_t* common) {
  Augmentation result;
  const auto* const letters = reinterpret_cast<const char*>(common + 9);
  const std::uint8_t version = common[8];
  const std::uint8_t* at = common + 9 + std::strlen(letters) + 1;
  if (letters[0] != 'z' || version != 1) return result;
  TakeLeb(&at);
  TakeLeb(&at);
  ++at;
  TakeLeb(&at);
  for (const char* letter = letters + 1; *letter != 0; ++letter) {
    std::uint64_t ignored;
    switch (*letter) {
      case 'R':
        result.places = *at++;
        break;
      case 'L':
        result.handlers = *at++;
        break;
      case 'P': {
        const std::uint8_t encoding = *at++ & 0x7f;  // without "at that place"
        if (!TakePointer(&at, encoding, &ignored)) return result;
        break;
      }
      default:
        return result;  // 'S', for one: the frame of a signal handler
    }
  }
  result.is_known = true;
  return result;
}

}  // namespace

bool FindFunction(std::uint64_t address, FunctionCode* code) {
  dwarf_eh_bases bases = {};
  const auto* const description =
      static_cast<const std::uint8_t*>(_Unwind_Find_FDE(reinterpret_cast<void*>(address), &bases));
  if (description == nullptr) return false;
  // Length, distance back to what is common, first address, size.
  const std::uint8_t* at = description + 4;
  const auto back = Take<std::int32_t>(&at);
  const Augmentation common = ReadCommon(description + 4 - back);
  if (!common.is_known || common.places != kRelative4) return false;
  if (!TakePointer(&at, common.places, &code->range.begin)) return false;
  code->range.size = Take<std::uint32_t>(&at);
  code->handlers = nullptr;
  TakeLeb(&at);
  if (common.handlers != kOmitted) {
    std::uint64_t handlers = 0;
    if (!TakePointer(&at, common.handlers, &handlers)) return false;
    code->handlers = reinterpret_cast<const std::uint8_t*>(handlers);
  }
  return code->range.Has(address);
}

bool FindLandingPad(const FunctionCode& code, std::uint64_t back, std::uint64_t* pad) {
  *pad = 0;
  if (code.handlers == nullptr) return true;
  const std::uint8_t* at = code.handlers;
  std::uint64_t pads = code.range.begin;
  if (const std::uint8_t encoding = *at++; encoding != kOmitted) {
    if (!TakePointer(&at, encoding, &pads)) return false;
  }
  if (*at++ != kOmitted) TakeLeb(&at);  // where the types are
  const std::uint8_t encoding = *at++;
  if (encoding != kLeb && encoding != kFourBytes) return false;
  const std::uint64_t size = TakeLeb(&at);
  const std::uint8_t* const end = at + size;
  const auto take = [&] { return encoding == kLeb ? TakeLeb(&at) : Take<std::uint32_t>(&at); };
  while (at < end) {
    const std::uint64_t first = code.range.begin + take();
    const std::uint64_t length = take();
    const std::uint64_t landing = take();
    TakeLeb(&at);
    if (back - 1 - first < length) {
      if (landing != 0) *pad = pads + landing;
      return true;
    }
  }
  return true;
}

}  // namespace heddle
