// The engine's own memory: nothing of heddle's is ever taken from the tested program's heap, or the
// heap addresses of a recording and its replay would differ.
//
// Size-classed free lists over one reserved range; never returns memory to the system. Not
// thread-safe: only one thread of the program runs at a time. The engine's operator new uses it.
#ifndef HEDDLE_RUNTIME_MEMORY_ARENA_H_
#define HEDDLE_RUNTIME_MEMORY_ARENA_H_

#include <cstddef>

namespace heddle {

void* ArenaAllocate(std::size_t bytes);
void ArenaFree(void* block);

// Zero memory that is never given back; pages cost nothing until they are touched.
void* ArenaReserve(std::size_t bytes);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_MEMORY_ARENA_H_
