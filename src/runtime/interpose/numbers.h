// Numbers of descriptors that a thread has closed while there were others, who may still use them.
//
// What such a thread finds is that the number leads nowhere, and that is so because of the close.
// So its operation touches what was closed, as it would have before it. A number that leads to
// something else by now belongs to that: who uses it is taken to mean it. Which number the system
// gives to something new is nobody's business here.
#ifndef HEDDLE_RUNTIME_INTERPOSE_NUMBERS_H_
#define HEDDLE_RUNTIME_INTERPOSE_NUMBERS_H_

#include <cstdint>

#include "runtime/scheduler/scheduler.h"

namespace heddle {

class Numbers {
 public:
  // It was closed, by an operation on these.
  static void NoteClosed(int descriptor, Object* channels);
  // It has just come to lead to something.
  static void NoteOpened(int descriptor);
  // A number that is closed: what it led to; nullptr: it is open, or nobody else can have used it.
  static Object* Last(int descriptor);
  // Whether it leads to a channel now (IsChannel). That it leads nowhere any more is found out by
  // an operation: kLook, or kDescriptor for who is about to close it, too.
  static bool LeadsToChannel(Scheduler* scheduler, int descriptor, OpKind kind, std::uint64_t site);
};

void ForgetNumbers();  // between runs

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_NUMBERS_H_
