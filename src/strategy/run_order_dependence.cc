// Which steps of a run depend on each other: by what they did, and by what they would have done.
#include "strategy/run_order.h"
#include "trace/expected_value.h"

namespace heddle {

bool RunOrder::AreDependent(Step a, Step b) const {
  return AreDependentAs(a, steps_[a].access(), b, steps_[b].access());
}

bool RunOrder::AreDependentAs(Step a, AccessMode a_access, Step b, AccessMode b_access) const {
  const StepInfo& x = steps_[a];
  const StepInfo& y = steps_[b];
  if (IsPortOperation(x.kind) && IsPortOperation(y.kind)) return true;
  if (x.target == y.thread || y.target == x.thread) return true;
  if ((a == last_ || b == last_) && x.thread != y.thread) return true;
  if (!links_from_.empty() && DependOnLinks(a, a_access, b, b_access)) return true;
  return Dependent(x, a_access, y, b_access);
}

bool RunOrder::MayDepend(Step done, Step next) const {
  const OpKind kind = steps_[next].kind;
  const AccessMode access = kind == OpKind::kPortSend ? AccessMode::kAlone : AccessOf(kind);
  return AreDependentAs(done, steps_[done].access(), next, access);
}

bool RunOrder::WouldDependByAll(Step a, Step b) const {
  return AreDependentAs(a, steps_[a].access(), b, AccessBehind(a, b));
}

// How `b` would touch the object of `a` just behind it, and behind others that `a` commutes with.
// Where that can't be told it may change something.
AccessMode RunOrder::AccessBehind(Step a, Step b) const {
  const StepInfo& x = steps_[a];
  const StepInfo& y = steps_[b];
  if (x.object != y.object) return AccessOf(y.kind);
  const bool waits = y.kind == OpKind::kLock || y.kind == OpKind::kSemWait ||
                     y.kind == OpKind::kReadLock || y.kind == OpKind::kWriteLock;
  // Who waits as long as it takes never fails.
  if (waits && (y.flags & Event::kMayTimeOut) == 0) return AccessOf(y.kind);
  bool fails = x.failed();  // as that one did
  switch (y.kind) {
    case OpKind::kAtomicRmw:
      fails = x.access() == AccessMode::kReading && FindsOtherValue(a, b);
      break;
    case OpKind::kLock:
    case OpKind::kTryLock:  // who holds it may take it once more
      fails = fails && x.lock.holder != y.thread;
      break;
    case OpKind::kSemWait:
    case OpKind::kSemTryWait: {
      const bool tells = x.kind == OpKind::kSemValue && (x.flags & Event::kHasValue) != 0;
      fails = fails || (tells && x.value == 0);
      break;
    }
    case OpKind::kOnce:
    case OpKind::kTryWriteLock:
      break;
    case OpKind::kWriteLock:
      fails = fails && y.lock.queued == 0;
      break;
    case OpKind::kReadLock:
    case OpKind::kTryReadLock:
      fails = fails && x.lock.holder != kNoThread;
      break;
    default:
      return y.access();
  }
  return fails ? FailedAccessOf(y.kind) : AccessOf(y.kind);
}

// Whether the compare-exchange `b` would find another value than it expects where `a` has read.
bool RunOrder::FindsOtherValue(Step a, Step b) const {
  struct Access {
    ObjectId object;
    std::uint8_t size;
    std::uint16_t expected;
  };
  const ThreadRecord& thread = trace_.threads[steps_[b].thread];
  const Access exchange =
      IsPending(b) ? Access{thread.pending.object, thread.pending.size, thread.expected}
                   : Access{trace_.events[b].object, trace_.events[b].size, trace_.events[b].other};
  const Event& read = trace_.events[a];
  const bool reads = read.kind == OpKind::kAtomicLoad || read.kind == OpKind::kAtomicRmw ||
                     read.kind == OpKind::kRead;
  const bool tells = reads &&
                     (read.flags & (Event::kHasValue | Event::kSpans)) == Event::kHasValue &&
                     read.object == exchange.object && read.size == exchange.size && read.size <= 8;
  return tells && exchange.expected != kNoThread && FoldedValue(read.value) != exchange.expected;
}

}  // namespace heddle
