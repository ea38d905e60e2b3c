#include "core_switch.h"

#include <linux/futex.h>
#include <sys/auxv.h>

#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <thread>

#include "base/raw_syscall.h"
#include "runtime/switch/backend.h"
#include "runtime/switch/context.h"

namespace heddle::bench {
namespace {

constexpr std::size_t kStack = 64 * 1024;
constexpr unsigned long kFsgsbase = 1ul << 1;  // HWCAP2_FSGSBASE

double NanosecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

// Two contexts of one kernel thread. Both have the caller's thread-locals; setting the FS base to
// what it is costs the same as another value.
struct Context {
  void* sp = nullptr;
  Context* other = nullptr;
};

// Both contexts run this, as the engine's threads all switch in one place: the processor predicts
// the return.
[[gnu::noinline]] void SwitchOften(Context* self, std::uint64_t times) {
  const std::uint64_t fs = ThreadPointer();
  for (; times > 0; --times) heddle_switch(&self->sp, self->other->sp, fs, false);
}

void SwitchForEver(void* context) {
  SwitchOften(static_cast<Context*>(context), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

Figure BareFiberSwitch(int switches, int repetitions) {
  if ((getauxval(AT_HWCAP2) & kFsgsbase) == 0) return {};
  const auto stack = std::make_unique<std::byte[]>(kStack);
  Context here;
  Context there;
  here.other = &there;
  there.other = &here;
  const auto top = reinterpret_cast<std::uintptr_t>(stack.get() + kStack) & ~std::uintptr_t{15};
  heddle_park(&here.sp, reinterpret_cast<void*>(top), SwitchForEver, &there);
  std::vector<double> samples;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    SwitchOften(&here, static_cast<std::uint64_t>(switches) / 2);
    samples.push_back(NanosecondsSince(start) / switches);
  }
  return FigureOf(samples);
}

Figure BareBatonSwitch(int switches, int repetitions) {
  SwitchBackend* const baton = BatonBackend();
  Shell here;
  Shell there;
  baton->AdoptMain(&here);
  const int rounds = repetitions * (switches / 2);
  std::thread partner([&] {
    baton->Park(&there);
    for (int i = 1; i < rounds; ++i) baton->Switch(&there, &here);
    here.baton.store(1, std::memory_order_release);
    RawSyscall(SYS_futex, reinterpret_cast<long>(&here.baton), FUTEX_WAKE_PRIVATE, 1);
  });
  std::vector<double> samples;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int j = 0; j < switches / 2; ++j) baton->Switch(&here, &there);
    samples.push_back(NanosecondsSince(start) / switches);
  }
  partner.join();
  return FigureOf(samples);
}

}  // namespace heddle::bench
