// Of how many call sites the context of an operation is made (PendingOp::context), where a search
// asks for another number than usual.
#ifndef HEDDLE_TRACE_CALL_SITES_H_
#define HEDDLE_TRACE_CALL_SITES_H_

#include <cstdint>

namespace heddle {

inline constexpr std::uint64_t kUsualCallSites = 5;   // as in the HaPSet paper
inline constexpr std::uint64_t kMostCallSites = 100;  // fewer than the runtime keeps of a thread

// Of Plan::params, whatever the policy: 0 = as usual, otherwise their number plus one.
inline constexpr int kCallSitesParam = 7;

}  // namespace heddle

#endif  // HEDDLE_TRACE_CALL_SITES_H_
