// An application thread as the scheduler sees it.
#ifndef HEDDLE_RUNTIME_SCHEDULER_THREAD_H_
#define HEDDLE_RUNTIME_SCHEDULER_THREAD_H_

#include <csetjmp>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "runtime/hooks/abi.h"
#include "runtime/scheduler/object.h"
#include "runtime/scheduler/spin.h"
#include "runtime/switch/shell.h"
#include "trace/decision.h"

namespace heddle {

struct ThreadLocalDestructor {
  void (*function)(void*);
  void* object;
};

// A stack that the program itself switches to (see interpose/user_fiber.cc).
struct UserFiber {
  std::uint64_t* calls;
  std::uint64_t call_depth;
};

struct Thread {
  ThreadId id = kNoThread;
  ThreadId parent = kNoThread;
  std::uint16_t nth_child = 0;
  std::uint16_t children = 0;
  std::uint64_t path_hash = 0;
  Shell* shell = nullptr;
  Object* object = nullptr;  // itself, for create, exit and join

  // Life.
  void* (*routine)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  std::uint64_t create_site = 0;
  bool started = false;
  bool detached = false;
  bool ended = false;
  bool joined = false;
  ThreadId joiner = kNoThread;     // who waits for its end
  bool seemed_alive = false;       // after it had ended, to somebody who tried to join it
  std::jmp_buf over;               // in the frame that started the routine; pthread_exit goes there
  std::uint64_t unwind_limit = 0;  // that frame

  // What it waits for.
  Object* blocked_on = nullptr;  // its place in that object's `pending` list
  Thread* next_pending = nullptr;
  Thread* previous_pending = nullptr;
  MutexKind lock_kind = MutexKind::kNormal;  // of the mutex it is about to take
  int (*ready)(const void*) = nullptr;       // of an operation that brings its own condition
  const void* ready_argument = nullptr;
  Object* relock = nullptr;                  // mutex to take again after a wait
  bool woken = false;                        // from a condition or a futex
  std::uint64_t deadline = 0;                // virtual nanoseconds
  Outcome granted = Outcome::kNormal;
  Spin spin;
  bool awaits = false;               // its loop can't end before a value changes
  const Event* last_event = nullptr;  // not yet told to `spin`
  Object* last_object = nullptr;

  // Counters that name things.
  std::uint64_t allocations = 0;
  std::uint64_t events = 0;
  std::uint64_t events_at_clock_read = 0;
  std::uint64_t clock_polls = 0;

  // Call sites, for contexts; the hooks write the running thread's.
  std::uint64_t* calls = nullptr;
  std::uint64_t call_depth = 0;
  UserFiber* fiber = nullptr;

  std::vector<ThreadLocalDestructor> destructors;
  std::vector<void*> specific;          // by key
  std::vector<Object*> robust_mutexes;  // that it holds
  char name[16] = {};
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_THREAD_H_
