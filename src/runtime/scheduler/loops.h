// Loops that earlier runs have shown to do nothing but wait, and who is in one of them.
//
// A loop is found out after three rounds (scheduler/spin.h), and until then its rounds are events
// like any others. A search that tries every order has no use for them: going round for nothing
// leaves everything as it was, so whatever a thread does behind such a round it also does in the
// run where it comes to the loop that much later. Therefore such a search is told where these loops
// begin (Lesson::kLoop) and starts anew, and from then on a thread that comes there is looked at
// before its first round. If it comes back and nothing differs it *stands*: it does not go on in
// this run. The run is worth something only if the round has read what there was to read in the
// end, as in a livelock; otherwise it was overtaken (RunOutcome::kOvertaken). So every way out of a
// loop is explored once, and what the reads of a failed round race with is seen as for any other
// event: a round of several reads may fail for one order of them and succeed for another.
//
// It does not matter at which instruction of its round a loop is said to begin, nor that a place is
// in the list which is passed by other loops too: a thread stands only where it was seen to be back
// as it was.
#ifndef HEDDLE_RUNTIME_SCHEDULER_LOOPS_H_
#define HEDDLE_RUNTIME_SCHEDULER_LOOPS_H_

#include <cstdint>
#include <span>

#include "runtime/scheduler/spin.h"
#include "trace/channel.h"

namespace heddle {

class Loops {
 public:
  static constexpr std::uint32_t kMost = 64;

  // Before a run: those that it knows.
  static void Configure(std::span<const SiteRef> sites);
  static bool any() { return count_ != 0; }
  static bool Knows(std::uint64_t site);
  // Found out in this run: into the channel's list of new sites, once.
  static void Report(std::uint64_t site, Channel* channel);

 private:
  static std::uint32_t count_;
};

// The known loops that one thread may be in: they may lie in each other, and a round may pass the
// beginnings of several.
class Rounds {
 public:
  // Of thread `id`, with nothing in it. Nothing is allocated but the first time.
  static Rounds* Of(ThreadId id);

  // The thread announces an operation there. True: it is back where it was as it was; `spin` is
  // then that round.
  bool Arrive(std::uint64_t site, std::uint64_t call_depth, std::uint32_t caller,
              AddressRange stack, Spin* spin);
  // Every event of the thread, as of Spin.
  void Did(const Event& event, const Object* object, bool changed_nothing);
  // While there are any, every plain write of the thread is to be told.
  bool any() const { return count_ != 0; }
  void Wrote(const void* address, AddressRange stack);
  void Leave() { count_ = 0; }

 private:
  static constexpr std::uint32_t kMost = 4;

  struct Round {
    Spin spin;
    OwnState before;
    std::uint32_t caller;
  };

  Round rounds_[kMost];  // the oldest first
  std::uint32_t count_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_LOOPS_H_
