// Further numbers for descriptors that the program has, and their end.
#ifndef HEDDLE_RUNTIME_INTERPOSE_DESCRIPTORS_H_
#define HEDDLE_RUNTIME_INTERPOSE_DESCRIPTORS_H_

#include <cstdint>

namespace heddle {

// What is known of `from` holds for `to`. What `to` was before, if anything, is closed.
void NoteAnotherNumber(int from, int to);

struct Closing {
  bool cancels = true;  // a cancellation point
  std::uint64_t site = 0;
};
int Close(int descriptor, const Closing& how);  // as close does it

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_DESCRIPTORS_H_
