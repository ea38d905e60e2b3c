#include "runtime/worker/timestamp.h"

#include <sys/prctl.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

constexpr std::uint64_t kTick = 1000;  // a reading takes a microsecond, as of any clock
constexpr std::uint64_t kLongestStep = 100'000'000;  // between two readings of a loop
constexpr std::uint64_t kStart = std::uint64_t{1} << 40;
constexpr std::uint8_t kRdtsc[] = {0x0f, 0x31};
constexpr std::uint8_t kRdtscp[] = {0x0f, 0x01, 0xf9};

// A counter of one gigahertz.
std::uint64_t ReadCounter(Scheduler* scheduler, std::uint64_t site) {
  Thread* const self = scheduler->current();
  if (self->events != self->events_at_clock_read) self->clock_polls = 0;
  const std::uint64_t doublings = std::min<std::uint64_t>(self->clock_polls++, 20);
  scheduler->AdvanceTo(scheduler->Now() + std::min(kTick << doublings, kLongestStep));
  scheduler->RecordDirectly(OpKind::kClock, scheduler->clock_object(), site);
  self->events_at_clock_read = self->events;
  return kStart + scheduler->Now();
}

}  // namespace

void TrapTimestampCounter() { RawSyscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV); }
void FreeTimestampCounter() { RawSyscall(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE); }

bool AnswerTimestampCounter(void* context) {
  Scheduler* const scheduler = Scheduler::Get();
  if (scheduler == nullptr) return false;
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* const code = reinterpret_cast<const std::uint8_t*>(registers[REG_RIP]);
  const bool has_processor = std::memcmp(code, kRdtsc, sizeof kRdtsc) != 0;
  if (has_processor && std::memcmp(code, kRdtscp, sizeof kRdtscp) != 0) return false;
  const std::size_t size = has_processor ? sizeof kRdtscp : sizeof kRdtsc;
  const std::uint64_t next = static_cast<std::uint64_t>(registers[REG_RIP]) + size;

  const std::uint64_t value = ReadCounter(scheduler, next);
  registers[REG_RAX] = static_cast<greg_t>(value & 0xffffffff);
  registers[REG_RDX] = static_cast<greg_t>(value >> 32);
  if (has_processor) registers[REG_RCX] = 0;
  registers[REG_RIP] = static_cast<greg_t>(next);
  return true;
}

}  // namespace heddle
