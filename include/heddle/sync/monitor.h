// Monitors: at most one thread inside, and conditions to wait for.
//
// MonitorSC (signal and continue): the signaller goes on; the thread it woke competes with all who
// call. MonitorSU (signal and urgent wait): the thread that was woken goes on at once inside; the
// signaller waits to re-enter, and such threads come before all who call.
// All queues are first in, first out.
#ifndef HEDDLE_SYNC_MONITOR_H_
#define HEDDLE_SYNC_MONITOR_H_

#include <heddle/sync/core.h>

#include <cstddef>

namespace heddle {

class Condition;

namespace detail {

// Lives on the stack of the thread that waits on a condition or to re-enter.
struct MonitorWaiter {
  Waiter native;
  std::uint64_t thread = 0;
  bool granted = false;  // SC: signalled; SU: the monitor is its own
  MonitorWaiter* next = nullptr;
};

struct MonitorQueue {
  MonitorWaiter* first = nullptr;
  MonitorWaiter* last = nullptr;
  std::size_t length = 0;

  void Add(MonitorWaiter* waiter) {
    (first == nullptr ? first : last->next) = waiter;
    last = waiter;
    ++length;
  }
  MonitorWaiter* Take() {
    MonitorWaiter* const waiter = first;
    first = waiter->next;
    waiter->next = nullptr;
    --length;
    return waiter;
  }
};

class Monitor {
 public:
  explicit Monitor(SyncKind kind) : kind_(kind) {}
  ~Monitor() { Forget(kind_, this); }
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  void Enter() {
    Scope scope(native_);
    if (inside_ == scope.self())
      scope.Fail(kind_, this, "heddle::Monitor: enter by the thread that is inside");
    scope.Await(SyncOp::kEnter, kind_, this, [this] { return inside_ == 0; });
    inside_ = scope.self();
    scope.Done(kind_, this);
  }
  void Exit() {
    Scope scope(native_);
    RequireInside(scope, "heddle::Monitor: exit by a thread that is not inside");
    Leave(scope);
  }
  // For std::lock_guard.
  void lock() { Enter(); }
  void unlock() { Exit(); }

 private:
  friend class heddle::Condition;

  void RequireInside(Scope& scope, const char* text) const {
    if (inside_ != scope.self()) scope.Fail(kind_, this, text);
  }
  void Leave(Scope& scope) {
    scope.Announce(SyncOp::kLeave, kind_, this);
    GiveUp();
    scope.Done(kind_, this);
  }
  // Who waits to re-enter comes before all who call.
  void GiveUp() {
    inside_ = 0;
    if (reentry_.length > 0) Grant(reentry_.Take());
  }
  void Grant(MonitorWaiter* waiter) {
    inside_ = waiter->thread;
    waiter->granted = true;
  }
  // SU: until the monitor is this thread's again.
  void AwaitGrant(Scope& scope, MonitorWaiter* waiter) {
    scope.Await(
        SyncOp::kResume, kind_, this, [waiter] { return waiter->granted; }, &waiter->native);
    scope.Done(kind_, this);
  }

  SyncKind kind_;
  Native native_;
  std::uint64_t inside_ = 0;
  MonitorQueue reentry_;
};

}  // namespace detail

class MonitorSC : public detail::Monitor {
 public:
  MonitorSC() : Monitor(detail::SyncKind::kMonitorSC) {}
};

class MonitorSU : public detail::Monitor {
 public:
  MonitorSU() : Monitor(detail::SyncKind::kMonitorSU) {}
};

// Only for threads inside its monitor.
class Condition {
 public:
  explicit Condition(detail::Monitor& monitor) : monitor_(monitor) {}
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  // Leaves the monitor, and is inside again when it returns.
  void Wait() {
    detail::Scope scope(monitor_.native_);
    monitor_.RequireInside(scope, "heddle::Condition: wait by a thread outside the monitor");
    detail::MonitorWaiter waiter;
    waiter.thread = scope.self();
    scope.Announce(detail::SyncOp::kQueue, monitor_.kind_, &monitor_);
    queue_.Add(&waiter);
    monitor_.GiveUp();
    scope.Done(monitor_.kind_, &monitor_);
    if (is_urgent()) {
      monitor_.AwaitGrant(scope, &waiter);
      return;
    }
    scope.Await(
        detail::SyncOp::kEnter, monitor_.kind_, &monitor_,
        [this, &waiter] { return waiter.granted && monitor_.inside_ == 0; }, &waiter.native);
    monitor_.inside_ = scope.self();
    scope.Done(monitor_.kind_, &monitor_);
  }

  void Signal() {
    detail::Scope scope(monitor_.native_);
    monitor_.RequireInside(scope, "heddle::Condition: signal by a thread outside the monitor");
    Notify(scope, queue_.length > 0 ? 1 : 0, true);
  }
  // In an SU monitor all who were woken go on, one after the other, before the signaller.
  void SignalAll() {
    detail::Scope scope(monitor_.native_);
    monitor_.RequireInside(scope, "heddle::Condition: signal by a thread outside the monitor");
    Notify(scope, queue_.length, true);
  }
  // The thread that was woken has the monitor; without one it is an exit.
  void SignalAndExit() {
    detail::Scope scope(monitor_.native_);
    monitor_.RequireInside(scope, "heddle::Condition: signal by a thread outside the monitor");
    const bool woke = queue_.length > 0;
    Notify(scope, woke ? 1 : 0, false);
    if (!is_urgent() || !woke) monitor_.Leave(scope);
  }

  // How many threads wait.
  std::size_t Length() {
    detail::Scope scope(monitor_.native_);
    monitor_.RequireInside(scope, "heddle::Condition: length seen from outside the monitor");
    return queue_.length;
  }
  bool Empty() { return Length() == 0; }

 private:
  bool is_urgent() const { return monitor_.kind_ == detail::SyncKind::kMonitorSU; }

  void Notify(detail::Scope& scope, std::size_t count, bool stays) {
    const auto announce = [&] {
      scope.Announce(detail::SyncOp::kNotify, monitor_.kind_, &monitor_);
    };
    if (count == 0) {
      announce();
      scope.Done(monitor_.kind_, &monitor_);
      return;
    }
    detail::MonitorWaiter* heir = nullptr;
    for (std::size_t i = 0; i < count; ++i) {
      announce();
      detail::MonitorWaiter* const woken = queue_.Take();
      if (!is_urgent()) {
        woken->granted = true;
        scope.MoveBehind(&woken->native);
      } else if (heir == nullptr) {
        heir = woken;
      } else {
        monitor_.reentry_.Add(woken);
      }
      const bool hands_over = is_urgent() && i + 1 == count;
      detail::MonitorWaiter self;
      if (hands_over) {
        self.thread = scope.self();
        if (stays) monitor_.reentry_.Add(&self);
        monitor_.Grant(heir);
      }
      scope.Done(monitor_.kind_, &monitor_, count, woken->thread);
      if (hands_over && stays) monitor_.AwaitGrant(scope, &self);
    }
  }

  detail::Monitor& monitor_;
  detail::MonitorQueue queue_;
};

}  // namespace heddle

#endif  // HEDDLE_SYNC_MONITOR_H_
