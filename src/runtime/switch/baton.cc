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
    Give(to);
    Await(from);
  }
};

Baton baton;

}  // namespace

SwitchBackend* BatonBackend() { return &baton; }

}  // namespace heddle
