// Counting and binary semaphores. Blocked threads go on first in, first out.
#ifndef HEDDLE_SYNC_SEMAPHORE_H_
#define HEDDLE_SYNC_SEMAPHORE_H_

#include <heddle/sync/core.h>

namespace heddle {

// P waits while the value is 0; V never waits.
class Semaphore {
 public:
  explicit Semaphore(int initial) : value_(initial) {
    if (initial < 0) throw SyncError("a semaphore starts with a value of at least 0");
  }
  ~Semaphore() { detail::Forget(kKind, this); }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  void P() {
    detail::Scope scope(native_);
    scope.Await(detail::SyncOp::kP, kKind, this, [this] { return value_ > 0; });
    --value_;
    scope.Done(kKind, this, static_cast<std::uint64_t>(value_));
  }
  void V() {
    detail::Scope scope(native_);
    scope.Announce(detail::SyncOp::kV, kKind, this);
    ++value_;
    scope.Done(kKind, this, static_cast<std::uint64_t>(value_));
  }

 private:
  static constexpr detail::SyncKind kKind = detail::SyncKind::kSemaphore;
  detail::Native native_;
  int value_;
};

// The completions of P and V alternate: P waits for a V and V waits for a P.
class BinarySemaphore {
 public:
  explicit BinarySemaphore(int initial) : value_(initial) {
    if (initial != 0 && initial != 1) throw SyncError("a binary semaphore starts with 0 or 1");
  }
  ~BinarySemaphore() { detail::Forget(kKind, this); }
  BinarySemaphore(const BinarySemaphore&) = delete;
  BinarySemaphore& operator=(const BinarySemaphore&) = delete;

  void P() { Change(detail::SyncOp::kP, 1); }
  void V() { Change(detail::SyncOp::kV, 0); }

 private:
  static constexpr detail::SyncKind kKind = detail::SyncKind::kBinarySemaphore;

  void Change(detail::SyncOp operation, int from) {
    detail::Scope scope(native_);
    scope.Await(operation, kKind, this, [this, from] { return value_ == from; });
    value_ = 1 - from;
    scope.Done(kKind, this, static_cast<std::uint64_t>(value_));
  }

  detail::Native native_;
  int value_;
};

}  // namespace heddle

#endif  // HEDDLE_SYNC_SEMAPHORE_H_
