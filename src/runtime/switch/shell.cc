#include "runtime/switch/shell.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "runtime/engine.h"
#include "runtime/interpose/real.h"
#include "runtime/memory/layout.h"
#include "runtime/memory/sharing.h"
#include "runtime/switch/backend.h"
#include "runtime/switch/context.h"
#include "runtime/switch/tls.h"
#include "runtime/worker/crash.h"

namespace heddle {
namespace {

constexpr std::uint64_t kSlot = std::uint64_t{16} << 20;
constexpr std::uint64_t kSlots = kStacksSize / kSlot;
constexpr std::uint64_t kGuard = 4096;
constexpr std::uint64_t kControlBlock = 64 * 1024;  // glibc takes TCB and static TLS from the stack
constexpr std::size_t kDefaultStack = std::size_t{8} << 20;
// Slots lie at distances that are powers of two, and what threads use of them is near the top:
// without this the stacks of more than a few threads would push each other out of the same places
// of caches and TLBs. Whole pages: what a thread has at its top must lie there alike in all slots.
constexpr std::uint64_t kColours = 64;
constexpr std::uint64_t ColourOf(std::uint64_t number) { return number % kColours * 4096; }

struct State {
  SwitchBackend* backend = nullptr;
  bool is_fiber = false;
  std::vector<Shell*> shells;  // by number - 1
  std::size_t first_free = 0;  // all before it are in use; it may be, too
  std::vector<Shell*> by_slot;
  Shell main;
};
State* state = nullptr;

// Without a detour where it is a matter of nanoseconds. `way`: heddle_switch, as it is called.
template <typename Way>
[[gnu::always_inline]] inline void Pass(Shell* from, Shell* to, Way way) {
  if (__builtin_expect(!state->is_fiber, 0)) return state->backend->Switch(from, to);
  const bool begins = to->is_at_bottom;
  to->is_at_bottom = false;
  way(&from->sp, to->sp, to->fs, begins);
}

// The thread in it is over: whoever goes on does, until there is another thread in it. Inline, like
// all that lies between the bottom of a stack and a switch: behind a switch the processor guesses
// most returns wrong.
[[gnu::always_inline]] inline void Leave(Shell* shell, void* result) {
  Shell* const next = shell->end(shell->argument, result);
  shell->is_at_bottom = true;
  Pass(shell, next, SwitchFromBottom);
}

// A shell's kernel thread; also what its threads run under. See Shell::run.
void* RunShell(void* argument) {
  auto* const shell = static_cast<Shell*>(argument);
  state->backend->Park(shell);
  // A kernel thread that carries its own shell takes signals on a stack of its own.
  if (!state->backend->SurvivesFork()) UseSignalStack();
  shell->unwind_limit = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  if (_setjmp(shell->over) != 0) Leave(shell, shell->result);
  for (;;) {
    if (shell->used_before) ResetThreadLocals(shell->fs);
    shell->used_before = true;
    Leave(shell, shell->run(shell->argument));
  }
}

bool StartKernelThread(Shell* shell) {
  const LibcHeapScope scope;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, reinterpret_cast<void*>(shell->slot_base + kGuard),
                        shell->stack_top - shell->slot_base - kGuard);
  // Signals are for the carrier; a kernel thread inherits the mask it is created under.
  sigset_t all, before;
  sigfillset(&all);
  if (!state->backend->SurvivesFork()) {
    // A kernel thread that runs the program itself crashes itself: blocked, these would end the
    // process before the crash handler or a debugger sees them.
    // SIGPIPE is sent to who writes.
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPIPE}) {
      sigdelset(&all, own);
    }
  }
  real::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = real::pthread_create(&shell->handle, &attributes, RunShell, shell);
  real::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  shell->has_kernel_thread = error == 0;
  return error == 0;
}

// Until a new fiber shell has parked, its stack is its own kernel thread's.
void AwaitParked(Shell* shell) {
  if (!state->backend->SurvivesFork()) return;
  while (shell->baton.load(std::memory_order_acquire) == 0) {
    RawSyscall(SYS_futex, reinterpret_cast<long>(&shell->baton), FUTEX_WAIT_PRIVATE, 0);
  }
}

// Of those that nobody is in, the first with at least that much stack, to be used at once; nullptr:
// there is none.
Shell* FirstFree(std::size_t stack_size) {
  const std::vector<Shell*>& shells = state->shells;
  for (std::size_t at = state->first_free; at < shells.size(); ++at) {
    Shell* const shell = shells[at];
    const bool is_fit = !shell->in_use && shell->stack_size >= stack_size;
    state->first_free += at == state->first_free && (is_fit || shell->in_use);
    if (is_fit) return shell;
  }
  return nullptr;
}

Shell* Make(std::size_t stack_size) {
  const std::uint64_t number = state->shells.size() + 1;
  const std::uint64_t bytes =
      ((stack_size + kControlBlock + kGuard + 4095) & ~4095ull) + ColourOf(number);
  const std::uint64_t slots = (bytes + kSlot - 1) / kSlot;
  if (state->by_slot.size() + slots > kSlots) return nullptr;

  auto* const shell = new Shell();
  shell->number = static_cast<std::uint32_t>(number);
  shell->slot_base = kStacksBase + state->by_slot.size() * kSlot;
  shell->stack_top = shell->slot_base + bytes;
  shell->stack_size = stack_size;
  shell->range = {shell->slot_base, bytes};
  RawSyscall(SYS_mprotect, static_cast<long>(shell->slot_base), kGuard, PROT_NONE);
  state->by_slot.resize(state->by_slot.size() + slots, shell);
  state->shells.push_back(shell);
  return shell;
}

}  // namespace

Shell* Shell::At(std::uint64_t address) {
  const std::uint64_t slot = (address - kStacksBase) / kSlot;
  return state != nullptr && slot < state->by_slot.size() ? state->by_slot[slot] : nullptr;
}

Shell* Shell::OfHandle(pthread_t handle) {
  Shell* const shell = At(static_cast<std::uint64_t>(handle));
  if (shell != nullptr && shell->handle == handle) return shell;
  return state != nullptr && handle == state->main.handle ? &state->main : nullptr;
}

void Shells::Prepare(Backend backend, AddressRange main_stack) {
  state = new State();
  ReserveAt(kStacksBase, kStacksSize);  // now: the program may forbid itself more memory
  state->is_fiber = backend == Backend::kFiber;
  state->backend = state->is_fiber ? FiberBackend() : BatonBackend();
  main_ = &state->main;
  state->main.handle = pthread_self();
  state->main.range = main_stack;
  state->main.in_use = true;
  state->main.has_kernel_thread = true;
  state->backend->AdoptMain(&state->main);
}

void Shells::Prefill(std::uint32_t count) {
  if (!state->backend->SurvivesFork()) return;
  while (state->shells.size() < count) {
    Shell* const shell = Make(kDefaultStack);
    if (shell == nullptr || !StartKernelThread(shell)) return;
    AwaitParked(shell);
  }
}

void Shells::Forked() {
  if (state->backend->SurvivesFork()) return;
  for (Shell* shell : state->shells) shell->has_kernel_thread = false;
}

Shell* Shells::Acquire(std::size_t stack_size) {
  const std::size_t size = stack_size == 0 ? kDefaultStack : stack_size;
  Shell* found = FirstFree(size);
  if (__builtin_expect(found == nullptr || !found->has_kernel_thread, 0)) {
    const EngineScope scope;
    if (found == nullptr) found = Make(size);
    if (found == nullptr) return nullptr;
    if (!StartKernelThread(found)) {
      Release(found);
      return nullptr;
    }
    AwaitParked(found);
  }
  found->in_use = true;
  found->is_over = false;
  found->entry = nullptr;
  found->live_from = Shell::kAllLive;
  return found;
}

void Shells::Release(Shell* shell) {
  shell->in_use = false;
  if (shell != main_)
    state->first_free = std::min<std::size_t>(state->first_free, shell->number - 1);
  shell->age = Sharing::Age();
}

void Shells::ResetForRun() {
  for (Shell* shell : state->shells) {
    shell->in_use = false;
    shell->has_objects = false;
  }
  state->first_free = 0;
}

Shell* Shells::main_ = nullptr;

void Shells::Switch(Shell* from, Shell* to) {
  from->live_from = Shell::kNotAsked;
  Pass(from, to, heddle_switch);
}

void Shells::Visit(Shell* from, Shell* to, void (*function)(void*), void* argument) {
  state->backend->Visit(from, to, function, argument);
}

}  // namespace heddle
