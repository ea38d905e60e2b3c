// A mutex with an owner, who may lock it again and must unlock it as often.
#ifndef HEDDLE_SYNC_LOCK_H_
#define HEDDLE_SYNC_LOCK_H_

#include <heddle/sync/core.h>

namespace heddle {

// Lower-case names, so that std::lock_guard and std::unique_lock take it.
class Lock {
 public:
  Lock() = default;
  ~Lock() { detail::Forget(kKind, this); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void lock() {
    detail::Scope scope(native_);
    const std::uint64_t self = scope.self();
    scope.Await(detail::SyncOp::kAcquire, kKind, this,
                [this, self] { return owner_ == 0 || owner_ == self; });
    owner_ = self;
    ++depth_;
    scope.Done(kKind, this, static_cast<std::uint64_t>(depth_));
  }

  void unlock() {
    detail::Scope scope(native_);
    if (owner_ != scope.self()) {
      scope.Fail(kKind, this,
                 owner_ == 0 ? "heddle::Lock: unlock of a lock that nobody holds"
                             : "heddle::Lock: unlock by a thread that does not hold the lock");
    }
    scope.Announce(detail::SyncOp::kRelease, kKind, this);
    if (--depth_ == 0) owner_ = 0;
    scope.Done(kKind, this, static_cast<std::uint64_t>(depth_));
  }

 private:
  static constexpr detail::SyncKind kKind = detail::SyncKind::kLock;
  detail::Native native_;
  std::uint64_t owner_ = 0;
  int depth_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_SYNC_LOCK_H_
