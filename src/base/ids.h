// The small integers everything else is named by.
//
// All of them are dense and are handed out in the order in which things first happen in a run,
// never derived from an address: two runs that make the same decisions give the same ids.
#ifndef HEDDLE_BASE_IDS_H_
#define HEDDLE_BASE_IDS_H_

#include <cstdint>

namespace heddle {

// A thread of the program under test, in creation order; 0 is the main thread.
using ThreadId = std::uint16_t;
inline constexpr ThreadId kMainThread = 0;
inline constexpr ThreadId kNoThread = 0xffff;
inline constexpr int kMaxThreads = 4096;

// What an operation acts on (a lock, a memory granule, a thread, the clock), by first appearance.
using ObjectId = std::uint32_t;
inline constexpr ObjectId kNoObject = 0;

}  // namespace heddle

#endif  // HEDDLE_BASE_IDS_H_
