// Further numbers for descriptors that the program has.
#ifndef HEDDLE_RUNTIME_INTERPOSE_DESCRIPTORS_H_
#define HEDDLE_RUNTIME_INTERPOSE_DESCRIPTORS_H_

namespace heddle {

// What is known of `from` holds for `to`. What `to` was before, if anything, is closed.
void NoteAnotherNumber(int from, int to);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_DESCRIPTORS_H_
