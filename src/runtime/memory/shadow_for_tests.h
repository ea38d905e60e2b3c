// The cells of memory that tests touch: a process has them once, whichever test comes first.
#ifndef HEDDLE_RUNTIME_MEMORY_SHADOW_FOR_TESTS_H_
#define HEDDLE_RUNTIME_MEMORY_SHADOW_FOR_TESTS_H_

#include "runtime/memory/sharing.h"

namespace heddle {

inline HeddleHot& HotForTests() {
  static HeddleHot hot = [] {
    HeddleHot prepared = {};
    Sharing::Prepare(&prepared, {});
    return prepared;
  }();
  return hot;
}

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_MEMORY_SHADOW_FOR_TESTS_H_
