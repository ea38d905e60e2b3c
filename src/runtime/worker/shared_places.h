// Places of a run that other runs see too: files outside its TMPDIR that it writes, addresses that
// the program chose. The controller is told of the first of each kind, and makes runs one at a time
// from then on.
#ifndef HEDDLE_RUNTIME_WORKER_SHARED_PLACES_H_
#define HEDDLE_RUNTIME_WORKER_SHARED_PLACES_H_

#include <fcntl.h>

#include <type_traits>

namespace heddle {

void NoteSharedAddress();
// Relative to `directory`.
void NoteSharedFile(int directory, const char* path);

// Of a call's arguments, each path with the directory before it.
inline void NoteSharedFiles(int) {}
template <typename First, typename... Rest>
void NoteSharedFiles(int directory, First first, Rest... rest) {
  if constexpr (std::is_same_v<First, const char*>) NoteSharedFile(directory, first);
  if constexpr (std::is_same_v<First, int>) {
    NoteSharedFiles(first, rest...);
  } else {
    NoteSharedFiles(AT_FDCWD, rest...);
  }
}

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_WORKER_SHARED_PLACES_H_
