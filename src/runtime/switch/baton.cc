#include <linux/futex.h>

#include "base/raw_syscall.h"
#include "runtime/switch/backend.h"
#include "runtime/switch/context.h"

namespace heddle {
namespace {

void Give(Shell* shell) {
  shell->baton.store(1, std::memory_order_release);
  RawSyscall(SYS_futex, reinterpret_cast<long>(&shell->baton), FUTEX_WAKE_PRIVATE, 1);
}

void Await(Shell* shell) {
  while (shell->baton.exchange(0, std::memory_order_acquire) == 0) {
    RawSyscall(SYS_futex, reinterpret_cast<long>(&shell->baton), FUTEX_WAIT_PRIVATE, 0);
  }
}

class Baton final : public SwitchBackend {
 public:
  void AdoptMain(Shell* shell) override { shell->fs = ThreadPointer(); }

  void Park(Shell* shell) override {
    shell->fs = ThreadPointer();
    Await(shell);
  }

  bool SurvivesFork() const override { return false; }

  void Switch(Shell* from, Shell* to) override {
    from->frame = static_cast<const std::uint64_t*>(__builtin_frame_address(0));
    Give(to);
    Await(from);
    // Somebody came back to us: to go on, or only for our stack.
    while (Shell* const visitor = from->visitor) {
      from->visitor = nullptr;
      from->visit(from->visit_argument);
      Give(visitor);
      Await(from);
    }
  }

  void Visit(Shell* from, Shell* to, void (*function)(void*), void* argument) override {
    to->visit = function;
    to->visit_argument = argument;
    to->visitor = from;
    Give(to);
    Await(from);
  }
};

Baton baton;

}  // namespace

SwitchBackend* BatonBackend() { return &baton; }

}  // namespace heddle
