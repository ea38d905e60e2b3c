// A flag of Event beside its own: the operation could have ended by a time-out, whether it did or not.
#ifndef HEDDLE_TRACE_MAY_TIME_OUT_H_
#define HEDDLE_TRACE_MAY_TIME_OUT_H_

#include <cstdint>

namespace heddle {

inline constexpr std::uint8_t kMayTimeOut = 8;

}  // namespace heddle

#endif  // HEDDLE_TRACE_MAY_TIME_OUT_H_
