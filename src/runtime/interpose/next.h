// The function of that name behind ours, for the families that real.h does not list.
#ifndef HEDDLE_RUNTIME_INTERPOSE_NEXT_H_
#define HEDDLE_RUNTIME_INTERPOSE_NEXT_H_

#include <dlfcn.h>

#define HEDDLE_NEXT(name)                                                                  \
  ([] {                                                                                    \
    static const auto next = reinterpret_cast<decltype(&::name)>(dlsym(RTLD_NEXT, #name)); \
    return next;                                                                           \
  }())

#endif  // HEDDLE_RUNTIME_INTERPOSE_NEXT_H_
