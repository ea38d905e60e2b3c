// What all synchronisation objects are made of: a state, and operations that wait until the state
// lets them.
//
// Natively a Scope holds a mutex, and whoever waits in it goes on in the order of arrival. Under
// heddle the engine decides who goes on, and what happens inside a Scope is invisible: the
// operation itself is the event.
#ifndef HEDDLE_SYNC_CORE_H_
#define HEDDLE_SYNC_CORE_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stdexcept>

extern "C" {
// In heddle's engine, which a program built by `heddle c++` is linked to; absent otherwise.
int heddle_is_scheduling(void) __attribute__((weak));
// The thread's number, from 1.
std::uint64_t heddle_sync_self(void) __attribute__((weak));
// Between begin and end the calling thread's accesses are no events, and nobody else runs.
void heddle_sync_begin(void) __attribute__((weak));
void heddle_sync_end(void) __attribute__((weak));
// Announces an operation (heddle::detail::SyncOp) on an object (heddle::detail::SyncKind) and
// returns when the thread is chosen and ready(argument) holds; null: it always does.
void heddle_sync_await(int operation, int kind, const void* object, int (*ready)(const void*),
                       const void* argument) __attribute__((weak));
// It was carried out, on `object`. Returns the event's number in the run.
std::uint32_t heddle_sync_done(int kind, const void* object, std::uint64_t value,
                               std::uint64_t other) __attribute__((weak));
// The port is open at the receive that the thread announces next.
void heddle_sync_open(int kind, const void* port) __attribute__((weak));
// Which of several messages is received: senders and the events' numbers of their sends, by
// sender.
std::uint32_t heddle_sync_choose(const std::uint64_t* senders, const std::uint32_t* sends,
                                 std::uint32_t count) __attribute__((weak));
// Something changed that another thread may wait for, without an event of its own.
void heddle_sync_changed(int kind, const void* object) __attribute__((weak));
// The program does to the object what its contract forbids: a finding. Does not return.
void heddle_sync_misuse(int kind, const void* object, const char* text) __attribute__((weak));
// The object is no more.
void heddle_sync_forget(int kind, const void* object) __attribute__((weak));
}

// For what begins or ends a Scope: as a function of its own, heddle would see its entry and not its
// exit.
#define HEDDLE_SYNC_INLINE __attribute__((always_inline))

namespace heddle {

// The program uses an object in a way that its contract forbids. Under heddle that is a finding,
// and nothing is thrown.
class SyncError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {

// The same order as in the engine (runtime/interpose/sync.cc).
enum class SyncOp : int {
  kP,
  kV,
  kAcquire,
  kRelease,
  kEnter,
  kLeave,
  kQueue,   // waits on a condition
  kNotify,  // signals
  kResume,  // goes on in an SU monitor
  kSend,
  kPut,   // into a bounded port
  kSent,  // a synchronous send was received
  kReceive,
  kSelect,  // a receive at several ports
  kClose,   // of a port
};
enum class SyncKind : int {
  kSemaphore,
  kBinarySemaphore,
  kLock,
  kMonitorSC,
  kMonitorSU,
  kAsyncPort,
  kBoundedPort,
  kSyncPort,
};

inline bool IsScheduling() {
  return heddle_is_scheduling != nullptr && heddle_is_scheduling() != 0;
}

// Names the calling thread; 0 is nobody.
inline std::uint64_t Self() {
  if (IsScheduling()) return heddle_sync_self();
  static thread_local char own;
  return reinterpret_cast<std::uint64_t>(&own);
}

// Under heddle a finding of kind misuse, natively a SyncError.
[[noreturn]] inline void Misuse(SyncKind kind, const void* object, const char* text) {
  if (IsScheduling() && heddle_sync_misuse != nullptr) {
    heddle_sync_misuse(static_cast<int>(kind), object, text);
  }
  throw SyncError(text);
}

// Who waits natively: each for a condition of its own.
struct Waiter {
  std::uint64_t ticket = 0;  // smaller is earlier
  int (*ready)(const void*) = nullptr;
  const void* argument = nullptr;
  Waiter* next = nullptr;
};

struct Native {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t tickets = 0;
  Waiter* waiters = nullptr;

  bool IsFirstReady(const Waiter& self) const {
    for (const Waiter* w = waiters; w != nullptr; w = w->next) {
      if (w->ticket < self.ticket && w->ready(w->argument) != 0) return false;
    }
    return self.ready(self.argument) != 0;
  }
  void Remove(Waiter* waiter) {
    Waiter** at = &waiters;
    while (*at != waiter) at = &(*at)->next;
    *at = waiter->next;
  }
};

// One operation, from the look at the object's state to its change. Not nested.
class Scope {
 public:
  HEDDLE_SYNC_INLINE explicit Scope(Native& native) : native_(native), scheduled_(IsScheduling()) {
    self_ = Self();
    if (scheduled_) {
      heddle_sync_begin();
    } else {
      native_.mutex.lock();
    }
    held_ = true;
  }
  HEDDLE_SYNC_INLINE ~Scope() { Close(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  std::uint64_t self() const { return self_; }
  bool scheduled() const { return scheduled_; }

  // Waits until `ready` holds. `waiter` lets others reorder it while it waits.
  template <typename Ready>
  void Await(SyncOp operation, SyncKind kind, const void* object, const Ready& ready,
             Waiter* waiter = nullptr) {
    const auto call = [](const void* argument) -> int {
      return (*static_cast<const Ready*>(argument))() ? 1 : 0;
    };
    if (scheduled_) {
      heddle_sync_await(static_cast<int>(operation), static_cast<int>(kind), object, call, &ready);
      return;
    }
    Waiter own;
    if (waiter == nullptr) waiter = &own;
    waiter->ticket = native_.tickets++;
    waiter->ready = call;
    waiter->argument = &ready;
    waiter->next = native_.waiters;
    native_.waiters = waiter;
    std::unique_lock<std::mutex> lock(native_.mutex, std::adopt_lock);
    native_.changed.wait(lock, [&] { return native_.IsFirstReady(*waiter); });
    lock.release();
    native_.Remove(waiter);
  }
  // An operation that never waits.
  void Announce(SyncOp operation, SyncKind kind, const void* object) {
    if (scheduled_) {
      heddle_sync_await(static_cast<int>(operation), static_cast<int>(kind), object, nullptr,
                        nullptr);
    }
  }
  // The state has changed; `other` is the thread that it concerns.
  std::uint32_t Done(SyncKind kind, const void* object, std::uint64_t value = 0,
                     std::uint64_t other = 0) {
    if (scheduled_) return heddle_sync_done(static_cast<int>(kind), object, value, other);
    native_.changed.notify_all();
    return 0;
  }
  // The same without an event.
  void Changed(SyncKind kind, const void* object) {
    if (scheduled_) {
      heddle_sync_changed(static_cast<int>(kind), object);
    } else {
      native_.changed.notify_all();
    }
  }
  // `waiter` comes behind all who wait now.
  void MoveBehind(Waiter* waiter) { waiter->ticket = native_.tickets++; }

  [[noreturn]] HEDDLE_SYNC_INLINE void Fail(SyncKind kind, const void* object, const char* text) {
    Close();
    Misuse(kind, object, text);
  }
  HEDDLE_SYNC_INLINE void Close() {
    if (!held_) return;
    held_ = false;
    if (scheduled_) {
      heddle_sync_end();
    } else {
      native_.mutex.unlock();
    }
  }

 private:
  Native& native_;
  bool scheduled_;
  bool held_ = false;
  std::uint64_t self_ = 0;
};

// While it lives, the thread's accesses are no events: for copying what a message carries, which
// the message itself orders. Only around code that does nothing but access memory.
class Quiet {
 public:
  HEDDLE_SYNC_INLINE Quiet() : scheduled_(IsScheduling()) {
    if (scheduled_) heddle_sync_begin();
  }
  HEDDLE_SYNC_INLINE ~Quiet() {
    if (scheduled_) heddle_sync_end();
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  bool scheduled_;
};

// An object that goes while heddle watches makes room for another at its address.
inline void Forget(SyncKind kind, const void* object) {
  if (IsScheduling()) heddle_sync_forget(static_cast<int>(kind), object);
}

}  // namespace detail
}  // namespace heddle

#endif  // HEDDLE_SYNC_CORE_H_
