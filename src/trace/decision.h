// All nondeterminism heddle controls is one kind of question: a Decision with two or more Options.
//
// A list of answers is a recording. Where only one option exists no question is asked.
#ifndef HEDDLE_TRACE_DECISION_H_
#define HEDDLE_TRACE_DECISION_H_

#include <cstdint>
#include <span>

#include "base/ids.h"
#include "trace/op.h"

namespace heddle {

struct ObjectRecord;  // trace/records.h
struct ThreadRecord;

enum class DecisionKind : std::uint8_t {
  kThread,   // which thread goes on
  kWaiter,   // which waiter a signal, post or wake-up reaches; which message is received
  kOutcome,  // how the operation ends (a weak compare-and-exchange fails, a spurious wake-up)
};

// How the chosen operation ends, beside its ordinary way.
enum class Outcome : std::uint8_t { kNormal, kTimeout };

struct Option {
  ThreadId thread = kNoThread;
  Outcome outcome = Outcome::kNormal;
  std::uint32_t which =
      0;  // tells options of one thread apart: of a message, the event that sent it
};

// How many events a thread of a run has had so far.
class EventCounts {
 public:
  virtual std::uint64_t EventsOf(ThreadId thread) const = 0;

 protected:
  ~EventCounts() = default;
};

// The threads of a run as a Policy sees them: every live thread's next operation, enabled or not.
// Owned by whoever executes the run (the scheduler, the abstract machine); valid during one call.
struct RunView {
  std::span<const PendingOp> pending;      // by ThreadId; size = threads created so far
  std::span<const std::uint64_t> live;     // bit set by ThreadId
  std::span<const std::uint64_t> enabled;  // bit set by ThreadId
  // By ObjectId, for the keys that name an object in every run; null where nobody keeps them.
  const ObjectRecord* objects = nullptr;
  const ThreadRecord* threads = nullptr;  // by ThreadId, likewise: who made it, its path
  const EventCounts* counts = nullptr;    // likewise
  ThreadId first_due = kNoThread;         // of the options by time-out: whose deadline comes first

  static bool Has(std::span<const std::uint64_t> set, ThreadId thread) {
    return (set[thread / 64] >> (thread % 64) & 1) != 0;
  }
  bool IsLive(ThreadId thread) const { return Has(live, thread); }
  bool IsEnabled(ThreadId thread) const { return Has(enabled, thread); }
};

struct Decision {
  DecisionKind kind = DecisionKind::kThread;
  std::span<const Option> options;  // at least two, ordered by thread
  ThreadId current = kNoThread;     // who ran last (kThread), or who asks (otherwise)
  std::uint64_t step = 0;           // events so far in this run
  const RunView* view = nullptr;
};

// Index of the option that goes on with the thread that ran last; -1 when it can't.
inline int IndexOfCurrent(const Decision& decision) {
  for (std::size_t i = 0; i < decision.options.size(); ++i) {
    const Option& option = decision.options[i];
    if (option.thread == decision.current && option.outcome == Outcome::kNormal) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace heddle

#endif  // HEDDLE_TRACE_DECISION_H_
