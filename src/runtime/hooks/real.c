/* The functions that --wrap redirects, under names it does not touch. Part of the engine only,
 * which is linked without --wrap and has a libstdc++. */
#include <stddef.h>

#include "libc_calls.h"
#include "libstdcxx_calls.h"

/* An extra step, so that the names in the list are expanded. */
#define DEFINE_REAL_(result, name, parameters, arguments)                      \
  result name parameters;                                                      \
  __attribute__((visibility("default"))) result heddle_real_##name parameters; \
  result heddle_real_##name parameters { return name arguments; }
#define DEFINE_REAL(result, name, parameters, arguments) \
  DEFINE_REAL_(result, name, parameters, arguments)

HEDDLE_LIBC_CALLS(DEFINE_REAL)
HEDDLE_LIBSTDCXX_CALLS(DEFINE_REAL)
