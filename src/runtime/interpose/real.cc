#include "runtime/interpose/real.h"

#include <dlfcn.h>

namespace heddle::real {

#define HEDDLE_X(name, version) decltype(&::name) name = nullptr;
HEDDLE_REAL_FUNCTIONS(HEDDLE_X)
#undef HEDDLE_X

namespace {

void* Find(const char* name, const char* version) {
  // dlsym gives the oldest of several versions.
  return version == nullptr ? dlsym(RTLD_NEXT, name) : dlvsym(RTLD_NEXT, name, version);
}

}  // namespace

void Resolve() {
#define HEDDLE_X(name, version) name = reinterpret_cast<decltype(&::name)>(Find(#name, version));
  HEDDLE_REAL_FUNCTIONS(HEDDLE_X)
#undef HEDDLE_X
}

}  // namespace heddle::real
