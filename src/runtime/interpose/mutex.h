// Mutexes for the other families: condition variables, C11 threads, the end of a thread.
#ifndef HEDDLE_RUNTIME_INTERPOSE_MUTEX_H_
#define HEDDLE_RUNTIME_INTERPOSE_MUTEX_H_

#include <pthread.h>

#include "runtime/interpose/deadline.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {

struct MutexType {
  MutexKind kind = MutexKind::kNormal;
  bool is_robust = false;
  bool inherits_priority = false;

  // Then unlocking what one does not own is an error, otherwise it is undefined.
  bool checks_owner() const { return is_robust || kind != MutexKind::kNormal; }
  // POSIX knows only EBUSY for a try, but glibc tells the owner of these.
  bool try_names_owner() const { return is_robust || inherits_priority; }
};
MutexType MutexTypeOf(const pthread_mutex_t* mutex);
// Using a mutex that was destroyed is misuse.
Object* MutexObject(Scheduler* scheduler, pthread_mutex_t* mutex);

// The error codes of pthread_mutex_*.
int LockMutex(Scheduler* scheduler, pthread_mutex_t* mutex, Deadline deadline, std::uint64_t site);
int TryLockMutex(Scheduler* scheduler, pthread_mutex_t* mutex, std::uint64_t site);
int UnlockMutex(Scheduler* scheduler, pthread_mutex_t* mutex, std::uint64_t site);
void BeginMutexLife(Scheduler* scheduler, pthread_mutex_t* mutex, std::uint64_t site);
void EndMutexLife(Scheduler* scheduler, pthread_mutex_t* mutex, std::uint64_t site);

// A wait gives its mutex up as a whole and takes it again, both within an operation of the
// caller's: 0, or the errors that a robust mutex has.
std::uint32_t ReleaseForWait(Scheduler* scheduler, pthread_mutex_t* mutex, Object* object);
int RetakeAfterWait(Scheduler* scheduler, pthread_mutex_t* mutex, Object* object,
                    std::uint32_t depth, std::uint64_t site);

// The running thread ends: the robust mutexes it holds lose their owner.
void AbandonRobustMutexes(Scheduler* scheduler);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_MUTEX_H_
