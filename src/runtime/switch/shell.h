// A shell is what an application thread runs in: a stack and a thread control block, made by a real
// pthread_create at a fixed address, whose kernel thread then parks.
//
// Shells are made before the fork (a run then creates no kernel thread) and on demand. A shell
// whose thread has ended and was joined is used again, its thread-locals reset, lowest number
// first.
#ifndef HEDDLE_RUNTIME_SWITCH_SHELL_H_
#define HEDDLE_RUNTIME_SWITCH_SHELL_H_

#include <pthread.h>

#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <cstdint>

#include "runtime/memory/layout.h"
#include "trace/channel.h"

namespace heddle {

struct Shell {
  std::uint32_t number = 0;
  std::uint64_t slot_base = 0;  // guard page, then the stack
  std::uint64_t stack_top = 0;
  std::size_t stack_size = 0;
  AddressRange range;  // all of it; of the main thread, as far as its stack may ever reach
  pthread_t handle = 0;
  bool in_use = false;
  bool used_before = false;
  bool has_objects = false;     // some address of its stack is a known object of the run
  std::uint64_t path_hash = 0;  // of the thread in it
  std::uint64_t age = 0;        // Sharing::Age() when its last thread ended

  // Fiber: where its context is saved, and its FS base.
  void* sp = nullptr;
  std::uint64_t fs = 0;
  // Baton: 1 = go on.
  std::atomic<std::uint32_t> baton{0};
  bool has_kernel_thread = false;  // in this process

  // What somebody else has to do on its stack (Shells::Visit), and who waits for it to be done.
  void (*visit)(void*) = nullptr;
  void* visit_argument = nullptr;
  Shell* visitor = nullptr;

  // For DeadFrames, where its thread left the processor: the innermost frame then (baton), the
  // frame of the engine that a hook called last, and the lowest live address, once somebody asked.
  static constexpr std::uint64_t kNotAsked = 0;
  static constexpr std::uint64_t kAllLive = 1;  // it never left the processor
  const std::uint64_t* frame = nullptr;
  const std::uint64_t* entry = nullptr;
  std::uint64_t live_from = kAllLive;
  bool is_over = false;      // the thread has ended
  bool is_at_bottom = true;  // nothing is on its stack but what its next thread will begin in

  // What runs in it, and what comes behind it: the latter says which shell goes on.
  void* (*run)(void* argument) = nullptr;
  Shell* (*end)(void* argument, void* result) = nullptr;
  void* argument = nullptr;
  // The frame that calls them is there as long as the shell: a thread that does not return from
  // `run` (pthread_exit) unwinds its stack up to the limit, and goes there.
  std::jmp_buf over;
  void* result = nullptr;  // then
  std::uint64_t unwind_limit = 0;

  // It goes on soon, perhaps: what that needs of its stack is fetched into the cache meanwhile.
  void Expect() const {
    const auto* const top = static_cast<const char*>(sp);
    __builtin_prefetch(top);
    __builtin_prefetch(top + 64);
    __builtin_prefetch(top + 128);
  }

  // The shell whose slot an address lies in; nullptr if none.
  static Shell* At(std::uint64_t address);
  static Shell* OfHandle(pthread_t handle);
};

// Makes shells and keeps them. Not thread-safe: one thread of the program runs at a time.
class Shells {
 public:
  // On the main thread, whose stack that is.
  static void Prepare(Backend backend, AddressRange main_stack);

  // Makes parked shells until `count` exist, so that a forked run need not (fiber only).
  static void Prefill(std::uint32_t count);
  // In the child of a _Fork: the kernel threads of the shells are gone.
  static void Forked();

  // A shell with at least that much stack, its thread-locals fresh; nullptr when none can be made.
  static Shell* Acquire(std::size_t stack_size);
  static void Release(Shell* shell);
  // Between two runs in one process: whoever was in them is gone.
  static void ResetForRun();

  // Of the main thread: number 0, no slot.
  static Shell* Main() { return main_; }

  // `from` is the caller's. Returns when somebody switches back to it. The first switch to an
  // acquired shell runs what is in it, on its stack.
  static void Switch(Shell* from, Shell* to);

  // Calls function(argument) on the stack of one that waits to be switched to; `from` is the
  // caller's.
  static void Visit(Shell* from, Shell* to, void (*function)(void*), void* argument);

 private:
  static Shell* main_;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SWITCH_SHELL_H_
