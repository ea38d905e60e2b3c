// What the program keeps in memory, seen as a whole: whether anything at all has changed, where no
// instrumented code says so.
#ifndef HEDDLE_RUNTIME_SCHEDULER_UNSEEN_STATE_H_
#define HEDDLE_RUNTIME_SCHEDULER_UNSEEN_STATE_H_

#include <cstdint>

namespace heddle {

// A hash of the data of all modules and of the heap, without stacks, control blocks of threads and
// what is heddle's own. Of a large program only a part is looked at. Takes milliseconds.
std::uint64_t HashOfMemory();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_UNSEEN_STATE_H_
