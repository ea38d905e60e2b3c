// Calls that wait in the system for something that no descriptor tells of: the lock of a file, a
// System V message queue or set of semaphores.
//
// Such a call is announced like one on a descriptor (interpose/io_wait.h), with a question that
// changes nothing: would it go through now? It is asked again behind every operation in the program
// that may have changed the answer. Then the call is made in its form that does not wait. Where the
// system can't be asked, the call itself is the question: made in vain, it is an event, and is made
// again when something has changed.
#ifndef HEDDLE_RUNTIME_INTERPOSE_SYSTEM_WAIT_H_
#define HEDDLE_RUNTIME_INTERPOSE_SYSTEM_WAIT_H_

#include <cerrno>
#include <cstdint>

#include "runtime/interpose/deadline.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {

struct SystemWait {
  OpKind kind = OpKind::kFileLock;
  bool waits = false;                  // otherwise the call is made at once, whatever comes of it
  bool (*can)(void*) = nullptr;        // whether it would go through; true where nobody can tell
  bool (*is_inside)(void*) = nullptr;  // it would not: whether the program itself can change that
  void* argument = nullptr;
  // What orders threads (0: as the kind of operation says): what was done before a call on it that
  // gave something up comes before what is done behind one that then got something.
  std::uint64_t order_key = 0;
  bool acquires = false;
  const bool* releases = nullptr;  // whether the call gave something up, also in vain
  Deadline deadline = {};
  bool cancels = true;
  bool restarts = true;
  std::uint64_t site = 0;
};

// A name for the order of threads that no address of the program is.
std::uint64_t OrderKey(std::uint64_t family, std::uint64_t which);

// One call of the kind, until it has gone through.
class SystemCall {
 public:
  SystemCall(Scheduler* scheduler, const SystemWait& wait);

  // Waits for the turn to make the call. False: it fails instead, with errno, and is over.
  bool Await();
  // The result of the call. False: it is to be awaited and made again.
  bool IsDone(long result);

 private:
  static bool IsReady(void* call);

  Scheduler* scheduler_;
  SystemWait wait_;
  Thread* self_;
  bool in_vain_ = false;
  std::uint64_t tried_at_ = 0;
};

// `call` in its form that does not wait, when it would go through.
template <typename Call>
long Do(Scheduler* scheduler, const SystemWait& wait, const Call& call) {
  SystemCall steps(scheduler, wait);
  for (;;) {
    if (!steps.Await()) return -1;
    const long result = call();
    if (steps.IsDone(result)) return result;
  }
}

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_SYSTEM_WAIT_H_
