// Whether a copy of this process is all there is to it.
//
// A fork copies memory. What descriptors lead to, shared memory and children stay outside: two
// copies that go on differently would see each other through them. So a run may be copied only
// while nothing of that kind has changed since it began. The kernel is asked, not our own
// interposition: libc reads and writes behind our back. Only changes of files that write nothing
// are noted by interposers (interpose/file_changes.cc): the kernel does not count them.
//
// Two files are different, because they can be put back to where they were: what runs print goes
// to one, standard input comes from the other.
#ifndef HEDDLE_RUNTIME_WORKER_COPYABLE_H_
#define HEDDLE_RUNTIME_WORKER_COPYABLE_H_

#include "trace/channel.h"

namespace heddle {

// Where the two files are.
struct FileOffsets {
  long output = 0;
  long input = 0;

  static FileOffsets Now(const Channel& channel);
  void Restore(const Channel& channel) const;
};

// In the worker, before the first run that may be copied: the descriptors of every run.
void NoteDescriptors(const Channel& channel);
// In a new process that goes on as a run: the kernel counts what it writes from here.
void NoteProcessBegins(const FileOffsets& offsets);

// By the program: files made, renamed, removed or changed otherwise than by writing.
void NoteFileChange();
void NoteOpening(int directory, const char* path, int flags);

// kNone: it is.
CheckpointRefusal WhyNotCopyable(const Channel& channel);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_WORKER_COPYABLE_H_
