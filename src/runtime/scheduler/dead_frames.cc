#include "runtime/scheduler/dead_frames.h"

#include <pthread.h>

#include "runtime/engine.h"
#include "runtime/memory/modules.h"

namespace heddle {
namespace {

struct StackRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool Has(std::uint64_t address) const { return address >= begin && address < end; }
};

// Of the main thread. Asked of libc, which reads it from /proc, when something is suspicious.
StackRange MainStack() {
  const LibcHeapScope scope;
  pthread_attr_t attributes;
  if (pthread_getattr_np(Shells::Main()->handle, &attributes) != 0) return {};
  void* begin = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  const auto first = reinterpret_cast<std::uint64_t>(begin);
  return {first, first + size};
}

StackRange RangeOf(const Shell& shell) {
  if (&shell == Shells::Main()) return MainStack();
  return {shell.slot_base, shell.stack_top};
}

// The lowest address that the program uses of the stack; 0 when that is not known.
std::uint64_t LiveFrom(const Shell& shell) {
  static const int ours = Modules::IndexOf(reinterpret_cast<std::uint64_t>(&LiveFrom));
  constexpr int kMostFrames = 64;
  const std::uint64_t* frame = shell.frame;
  for (int i = 0; frame != nullptr && i < kMostFrames; ++i) {
    if (frame == shell.entry || Modules::IndexOf(frame[1]) != ours) {
      return reinterpret_cast<std::uint64_t>(frame + 2);
    }
    const auto* const outer = reinterpret_cast<const std::uint64_t*>(frame[0]);
    if (outer <= frame) return 0;
    frame = outer;
  }
  return 0;
}

}  // namespace

const Shell* DeadFrames::OwnerOf(std::uint64_t address) {
  Shell* const shell = address - kStacksBase < kStacksSize ? Shell::At(address) : Shells::Main();
  if (shell == nullptr) return nullptr;
  if (shell->is_over && shell != Shells::Main()) return shell;
  if (shell->live_from == 0) shell->live_from = LiveFrom(*shell);
  if (shell->live_from == 0 || address >= shell->live_from) return nullptr;
  const StackRange range = RangeOf(*shell);
  return range.Has(address) && range.Has(shell->live_from) ? shell : nullptr;
}

}  // namespace heddle
