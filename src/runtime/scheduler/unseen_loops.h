// Busy waiting in code that was not instrumented: a lock made of inline assembly, a flag that a
// library spins on, any such loop of a program that was not rebuilt.
//
// Nobody hears of such a loop. When the controller asks a run that takes the processor without
// getting on (worker/crash.cc), and no access was seen since it asked last, the thread goes on by
// single steps for a while. If it turns out to go round with nothing of its own changing, the jump
// that closes the loop is learnt like a scheduling point (Lesson::kUnseenLoop) and the run ends as
// overtaken. In later runs that jump is replaced by an instruction that traps: each round is then a
// yield, which the thread announces on its own stack inside the signal handler. After a round for
// nothing it is as good as blocked until another thread has got on (Scheduler::GoRoundUnseen).
//
// What the loop reads and writes is still not seen, so no search that has met one is complete.
#ifndef HEDDLE_RUNTIME_SCHEDULER_UNSEEN_LOOPS_H_
#define HEDDLE_RUNTIME_SCHEDULER_UNSEEN_LOOPS_H_

#include <cstdint>
#include <span>

#include "trace/channel.h"

namespace heddle {

class UnseenLoops {
 public:
  static constexpr std::uint32_t kMost = 64;

  // Before runs: these trap, and no others.
  static void Configure(std::span<const SiteRef> sites);

  // In the handler of the signal of that trap, on the stack of the thread: makes the jump. False:
  // it was another instruction. In a process that nobody schedules nothing but the jump is made.
  static bool Answer(void* context);

  // In the handler of the controller's question.
  static void Ask(void* context);
  // In the handler of the signal of single steps. False: nobody asked for one.
  static bool Step(void* context);
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_UNSEEN_LOOPS_H_
