#include "runtime/scheduler/dead_frames.h"

#include <pthread.h>
#include <unwind.h>

#include "runtime/engine.h"
#include "runtime/memory/modules.h"
#include "runtime/switch/context.h"

extern "C" void* __libc_stack_end;  // the dynamic linker's: where the main thread began

namespace heddle {
namespace {

// Of the main thread. Asked of libc, which reads it from /proc, when something is suspicious.
AddressRange MainStack() {
  const LibcHeapScope scope;
  pthread_attr_t attributes;
  if (pthread_getattr_np(Shells::Main()->handle, &attributes) != 0) return {};
  void* begin = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<std::uint64_t>(begin), size};
}

AddressRange main_stack_before_runs;  // empty: nobody has asked yet

// Whether both lie on the stack. Memory that is mapped lies below the main thread's stack like its
// dead frames, and is used all the time: what libc said before is enough to tell it apart.
bool AreOnStack(const Shell& shell, std::uint64_t address, std::uint64_t live_from) {
  const auto has_both = [&](const AddressRange& range) {
    return range.Has(address) && range.Has(live_from);
  };
  if (&shell != Shells::Main())
    return has_both({shell.slot_base, shell.stack_top - shell.slot_base});
  if (main_stack_before_runs.size == 0) DeadFrames::Prepare();
  return has_both(main_stack_before_runs) && has_both(MainStack());
}

AddressRange ours;  // code; empty: not yet known

[[gnu::noinline]] void FindOurs() {
  ours = Modules::RangeOf(Modules::IndexOf(reinterpret_cast<std::uint64_t>(&FindOurs)));
}

// The lowest address that the program uses of the stack on which the engine is in `frame`; 0 when
// that is not known.
std::uint64_t LiveFrom(const std::uint64_t* frame, const std::uint64_t* entry) {
  if (__builtin_expect(ours.size == 0, 0)) FindOurs();
  constexpr int kMostFrames = 64;
  for (int left = kMostFrames; frame != nullptr && left > 0; --left) {
    if (frame == entry || !ours.Has(frame[1])) {
      return reinterpret_cast<std::uint64_t>(frame + 2);
    }
    const auto* const outer = reinterpret_cast<const std::uint64_t*>(frame[0]);
    if (outer <= frame) return 0;
    frame = outer;
  }
  return 0;
}

// Where the last of the frames ends that can be unwound from here.
std::uint64_t OutermostFrame() {
  const EngineScope scope;  // the unwinder takes locks
  std::uint64_t outermost = 0;
  const auto visit = [](_Unwind_Context* context, void* argument) {
    *static_cast<std::uint64_t*>(argument) = _Unwind_GetCFA(context);
    return _URC_NO_REASON;
  };
  _Unwind_Backtrace(visit, &outermost);
  return outermost;
}

}  // namespace

void DeadFrames::Prepare() { main_stack_before_runs = MainStack(); }

const Shell* DeadFrames::OwnerOf(std::uint64_t address) {
  Shell* const shell = address - kStacksBase < kStacksSize ? Shell::At(address) : Shells::Main();
  if (shell == nullptr) return nullptr;
  if (shell->is_over && shell != Shells::Main()) return shell;
  if (shell->live_from == Shell::kNotAsked) {
    const std::uint64_t* const frame = shell->sp != nullptr ? FrameOf(shell->sp) : shell->frame;
    shell->live_from = LiveFrom(frame, shell->entry);
  }
  if (shell->live_from == Shell::kNotAsked || address >= shell->live_from) return nullptr;
  return AreOnStack(*shell, address, shell->live_from) ? shell : nullptr;
}

bool DeadFrames::StandsOnAllOf(const Shell& shell) {
  constexpr std::uint64_t kMostOfStart = 128;  // less than libc has below it
  const std::uint64_t bottom =
      &shell != Shells::Main() ? shell.unwind_limit
                               : reinterpret_cast<std::uint64_t>(__libc_stack_end) - kMostOfStart;
  return OutermostFrame() >= bottom;
}

bool DeadFrames::IsOwnDead(std::uint64_t address, const Shell& running, const std::uint64_t* entry,
                           std::uint64_t pc) {
  constexpr int kMostOfHook = 16;  // words of a hook's frame
  std::uint64_t live_from = 0;
  if (entry == nullptr) {
    live_from = LiveFrom(static_cast<const std::uint64_t*>(__builtin_frame_address(0)), nullptr);
  } else {
    live_from = reinterpret_cast<std::uint64_t>(entry + 2);
    // Where the hook was called lies its return address. A copy of it further down does no harm.
    for (int i = 0; i < kMostOfHook; ++i) {
      if (entry[1 + i] != pc) continue;
      live_from = reinterpret_cast<std::uint64_t>(entry + 2 + i);
      break;
    }
  }
  if (live_from == 0 || address >= live_from) return false;
  return AreOnStack(running, address, live_from);
}

}  // namespace heddle
