// Memory as objects: each variable its own, so that neighbours in one word do not look dependent.
//
// A granule of 8 bytes is one object as long as all accesses to it cover the same bytes. Accesses
// to other, disjoint bytes get objects of their own. As soon as two accesses overlap without being
// equal, the granule is one object for good: then dependence is over-approximated, never missed.
#ifndef HEDDLE_RUNTIME_SCHEDULER_MEMORY_OBJECT_H_
#define HEDDLE_RUNTIME_SCHEDULER_MEMORY_OBJECT_H_

#include <cstdint>

#include "runtime/scheduler/object.h"

namespace heddle {

Object* MemoryAt(const void* address, std::uint64_t size);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_MEMORY_OBJECT_H_
