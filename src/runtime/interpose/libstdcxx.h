// Functions and classes of libstdc++.so behind ours.
#ifndef HEDDLE_RUNTIME_INTERPOSE_LIBSTDCXX_H_
#define HEDDLE_RUNTIME_INTERPOSE_LIBSTDCXX_H_

#include <ios>

namespace heddle {

// The library's own. A program in C may have got it with a plugin, where only the plugin looks.
void* FindInLibstdcxx(const char* name);

// Whether the stream is into memory or a file: what it reads and writes next is a variable of its
// buffer, that no lock protects. Others may be used by several threads at the same time: the
// standard ones, and those of the program's own classes, which may lock.
bool HasPlainBuffer(const std::ios& stream);

}  // namespace heddle

#define HEDDLE_NEXT_IN_LIBSTDCXX(type, name)                                        \
  ([] {                                                                             \
    static const auto next = reinterpret_cast<type>(heddle::FindInLibstdcxx(name)); \
    return next;                                                                    \
  }())

#endif  // HEDDLE_RUNTIME_INTERPOSE_LIBSTDCXX_H_
