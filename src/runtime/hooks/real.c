/* libc's own memory functions under names that --wrap does not touch. Part of the engine only. */
#include <stddef.h>

#include "libc_calls.h"

#define DEFINE_REAL(result, name, parameters, arguments)                       \
  result name parameters;                                                      \
  __attribute__((visibility("default"))) result heddle_real_##name parameters; \
  result heddle_real_##name parameters { return name arguments; }

HEDDLE_LIBC_CALLS(DEFINE_REAL)
