// Characters of formats, whatever the locale.
#ifndef HEDDLE_RUNTIME_INTERPOSE_CHARACTERS_H_
#define HEDDLE_RUNTIME_INTERPOSE_CHARACTERS_H_

#include <cstring>

namespace heddle {

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// One of them; strchr finds the zero, too.
inline bool IsOneOf(char c, const char* characters) {
  return c != 0 && std::strchr(characters, c) != nullptr;
}

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_CHARACTERS_H_
