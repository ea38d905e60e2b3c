#include <linux/futex.h>
#include <sys/auxv.h>

#include "base/raw_syscall.h"
#include "runtime/memory/arena.h"
#include "runtime/switch/backend.h"
#include "runtime/switch/context.h"

namespace heddle {
namespace {

constexpr std::size_t kParkStack = 16 * 1024;
constexpr unsigned long kFsgsbase = 1ul << 1;  // HWCAP2_FSGSBASE

// A parked kernel thread sleeps on a stack of its own: the carrier uses the shell's.
void SleepForEver(void* ready) {
  auto* const word = static_cast<std::atomic<std::uint32_t>*>(ready);
  word->store(1, std::memory_order_release);
  RawSyscall(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAKE_PRIVATE, 1);
  for (;;) RawSyscall(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAIT_PRIVATE, 1);
}

class Fiber final : public SwitchBackend {
 public:
  void AdoptMain(Shell* shell) override { shell->fs = ThreadPointer(); }

  void Park(Shell* shell) override {
    shell->fs = ThreadPointer();
    auto* const stack = static_cast<char*>(ArenaAllocate(kParkStack));
    const auto top = (reinterpret_cast<std::uint64_t>(stack) + kParkStack) & ~15ull;
    heddle_park(&shell->sp, reinterpret_cast<void*>(top), SleepForEver, &shell->baton);
  }

  bool SurvivesFork() const override { return true; }

  void Switch(Shell* from, Shell* to) override { heddle_switch(&from->sp, to->sp, to->fs, false); }

  void Visit(Shell*, Shell* to, void (*function)(void*), void* argument) override {
    heddle_visit(to->sp, to->fs, function, argument);
  }
};

Fiber fiber;

}  // namespace

SwitchBackend* FiberBackend() { return &fiber; }
bool FiberIsPossible() { return (getauxval(AT_HWCAP2) & kFsgsbase) != 0; }

}  // namespace heddle
