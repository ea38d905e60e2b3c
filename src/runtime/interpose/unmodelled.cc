// Calls that heddle does not model yet: each is reported, once, by name and place, and passes
// through.
//
// One table; a trampoline per name saves the argument registers, reports, and jumps to the real
// function, so no signature needs to be known.
#include <dlfcn.h>

#include <cstdint>
#include <string_view>

#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/vector_arguments.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/worker/timestamp.h"
#include "trace/unseen_thread.h"

// X(name, effect)
#define HEDDLE_UNSEEN "what it does to other threads is not seen"
#define HEDDLE_FREE kStartsUnseenThread
#define HEDDLE_ALONE \
  "OpenMP's threads wait where heddle does not see them: the region runs with one thread"
#define HEDDLE_OPENMP(X)                                         \
  X(GOMP_parallel, HEDDLE_ALONE)                                 \
  X(GOMP_parallel_reductions, HEDDLE_ALONE)                      \
  X(GOMP_parallel_sections, HEDDLE_ALONE)                        \
  X(GOMP_parallel_loop_static, HEDDLE_ALONE)                     \
  X(GOMP_parallel_loop_dynamic, HEDDLE_ALONE)                    \
  X(GOMP_parallel_loop_guided, HEDDLE_ALONE)                     \
  X(GOMP_parallel_loop_runtime, HEDDLE_ALONE)                    \
  X(GOMP_parallel_loop_nonmonotonic_dynamic, HEDDLE_ALONE)       \
  X(GOMP_parallel_loop_nonmonotonic_guided, HEDDLE_ALONE)        \
  X(GOMP_parallel_loop_nonmonotonic_runtime, HEDDLE_ALONE)       \
  X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, HEDDLE_ALONE) \
  X(__kmpc_fork_call, HEDDLE_ALONE)
#define HEDDLE_UNMODELLED(X)               \
  X(pthread_setaffinity_np, HEDDLE_UNSEEN) \
  X(pthread_setschedparam, HEDDLE_UNSEEN)  \
  X(pthread_setschedprio, HEDDLE_UNSEEN)   \
  X(aio_read, HEDDLE_FREE)                 \
  X(aio_write, HEDDLE_FREE)                \
  X(aio_fsync, HEDDLE_FREE)                \
  X(lio_listio, HEDDLE_FREE)               \
  X(getaddrinfo_a, HEDDLE_FREE)            \
  X(mq_notify, HEDDLE_UNSEEN)              \
  HEDDLE_OPENMP(X)

namespace heddle {
namespace {

struct Unmodelled {
  const char* name;
  const char* effect;
};

constexpr Unmodelled kUnmodelled[] = {
#define HEDDLE_X(name, effect) {#name, effect},
    HEDDLE_UNMODELLED(HEDDLE_X)
#undef HEDDLE_X
};

void* real_functions[sizeof kUnmodelled / sizeof kUnmodelled[0]];

}  // namespace

// The argument registers of a call, as the trampoline has pushed them.
struct Registers {
  std::uint64_t rax, r9, r8, rcx, rdx, rsi, rdi;
};

// Whole programs get one thread by OMP_THREAD_LIMIT. That is read once, and a test may have begun
// long before its Explore.
static void MakeRegionAlone(std::string_view name, Registers* registers) {
  if (name.substr(0, 5) == "GOMP_") {
    registers->rdx = 1;  // num_threads, of all of them
    return;
  }
  const EngineScope scope;
  using ThreadNumber = int (*)(void*);
  using PushThreads = void (*)(void*, int, int);
  const auto number =
      reinterpret_cast<ThreadNumber>(dlsym(RTLD_DEFAULT, "__kmpc_global_thread_num"));
  const auto push = reinterpret_cast<PushThreads>(dlsym(RTLD_DEFAULT, "__kmpc_push_num_threads"));
  if (number == nullptr || push == nullptr) return;
  auto* const place = reinterpret_cast<void*>(registers->rdi);
  push(place, number(place), 1);
}

// Called by every trampoline: reports and returns the function to go on with.
extern "C" __attribute__((visibility("hidden"), used)) void* HeddleUnmodelled(
    std::uint64_t index, std::uint64_t site, Registers* registers) {
  if (real_functions[index] == nullptr) {
    const EngineScope scope;
    real_functions[index] = dlsym(RTLD_NEXT, kUnmodelled[index].name);
  }
  Scheduler* const scheduler = Scheduler::OfThisThread();
  // Where the call itself makes threads there need be none before.
  const std::string_view effect = kUnmodelled[index].effect;
  const bool makes_threads = effect == HEDDLE_FREE || effect == HEDDLE_ALONE;
  if (scheduler != nullptr && effect == HEDDLE_FREE) {
    // A thread that libc makes inherits the trap, and blocks the signal that answers it.
    FreeTimestampCounter();
    // It may be at the other end of any pipe.
    ForgetInside();
  }
  if (scheduler != nullptr && (makes_threads || scheduler->thread_count() > 1)) {
    scheduler->Uncontrolled(kUnmodelled[index].name, kUnmodelled[index].effect, site);
  }
  if (scheduler != nullptr && effect == HEDDLE_ALONE) {
    MakeRegionAlone(kUnmodelled[index].name, registers);
  }
  return real_functions[index];
}

namespace {
enum Index : int {
#define HEDDLE_X(name, effect) kIndexOf_##name,
  HEDDLE_UNMODELLED(HEDDLE_X)
#undef HEDDLE_X
};
}  // namespace

}  // namespace heddle

// rax carries the number of vector registers of a variadic call; all arguments survive.
asm(R"(
        .text
        .globl  heddle_unmodelled_common
        .hidden heddle_unmodelled_common
heddle_unmodelled_common:
        push    %rdi
        push    %rsi
        push    %rdx
        push    %rcx
        push    %r8
        push    %r9
        push    %rax
)" HEDDLE_PUSH_VECTOR_ARGUMENTS R"(
        mov     %r11, %rdi
        mov     184(%rsp), %rsi
        lea     128(%rsp), %rdx
        call    HeddleUnmodelled
        mov     %rax, %r11
)" HEDDLE_POP_VECTOR_ARGUMENTS R"(
        pop     %rax
        pop     %r9
        pop     %r8
        pop     %rcx
        pop     %rdx
        pop     %rsi
        pop     %rdi
        jmp     *%r11
)");

#define HEDDLE_X(name, effect)                                                                     \
  extern "C" __attribute__((naked, visibility("default"))) void heddle_tramp_##name() asm(#name);  \
  void heddle_tramp_##name() {                                                                     \
    asm volatile("mov %0, %%r11d\n\tjmp heddle_unmodelled_common" ::"i"(heddle::kIndexOf_##name)); \
  }
HEDDLE_UNMODELLED(HEDDLE_X)
#undef HEDDLE_X
