#include "core_switch.h"

#include <linux/futex.h>
#include <sys/auxv.h>

#include <chrono>
#include <cstddef>
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
struct PingPong {
  void* here = nullptr;
  void* there = nullptr;
  std::uint64_t fs = ThreadPointer();
};

void SwitchBackForEver(void* argument) {
  auto* const pair = static_cast<PingPong*>(argument);
  for (;;) heddle_switch(&pair->there, pair->here, pair->fs);
}

}  // namespace

Figure BareFiberSwitch(int switches, int repetitions) {
  if ((getauxval(AT_HWCAP2) & kFsgsbase) == 0) return {};
  const auto stack = std::make_unique<std::byte[]>(kStack);
  PingPong pair;
  const auto top = reinterpret_cast<std::uintptr_t>(stack.get() + kStack) & ~std::uintptr_t{15};
  heddle_park(&pair.here, reinterpret_cast<void*>(top), SwitchBackForEver, &pair);
  std::vector<double> samples;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int j = 0; j < switches; j += 2) heddle_switch(&pair.here, pair.there, pair.fs);
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
