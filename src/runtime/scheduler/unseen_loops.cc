#include "runtime/scheduler/unseen_loops.h"

#include <signal.h>
#include <ucontext.h>

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "runtime/code/jump.h"
#include "runtime/code/patch.h"
#include "runtime/engine.h"
#include "runtime/interpose/real.h"
#include "runtime/memory/modules.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/loop_finder.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/unseen_wait.h"
#include "runtime/worker/crash.h"

namespace heddle {
namespace {

constexpr std::uint8_t kTrap[] = {0x0f, 0x0b};  // ud2: a debugger has int3 for itself
constexpr greg_t kSingleStep = 0x100;           // in the flags
constexpr std::uint32_t kMostSteps = 50'000;
constexpr std::uint64_t kRedZone = 128;  // below the stack pointer, the function's own

// A jump that traps. Its site is the address one behind it, like any call's.
struct Armed {
  std::uint64_t address;
  JumpCode jump;
  std::uint8_t original[sizeof kTrap];
};

Armed armed[UnseenLoops::kMost];
std::uint32_t armed_count = 0;
std::uint32_t modules = 0;  // loaded when runs began: what comes later can't be armed beforehand

constexpr std::uint64_t SiteOf(std::uint64_t address) { return address + 1; }

Armed* ArmedAt(std::uint64_t address) {
  Armed* const end = armed + armed_count;
  Armed* const found =
      std::find_if(armed, end, [&](const Armed& each) { return each.address == address; });
  return found == end ? nullptr : found;
}

// A jump back that can be made to trap.
bool ReadLoop(std::uint64_t address, JumpCode* jump) {
  const int module = Modules::IndexOf(address);
  if (module < 0) return false;
  const AddressRange range = Modules::RangeOf(module);
  if (range.end() - address < JumpCode::kMostBytes) return false;
  return DecodeJump(reinterpret_cast<const std::uint8_t*>(address), address, jump) &&
         jump->target <= address;
}

void Arm(std::uint64_t address) {
  if (armed_count == UnseenLoops::kMost || ArmedAt(address) != nullptr) return;
  Armed& next = armed[armed_count];
  if (!ReadLoop(address, &next.jump)) return;
  next.address = address;
  std::memcpy(next.original, reinterpret_cast<const void*>(address), sizeof next.original);
  if (WriteCode(address, kTrap, sizeof kTrap)) ++armed_count;
}

const ucontext_t& AsContext(const void* context) {
  return *static_cast<const ucontext_t*>(context);
}

std::uint64_t RegisterOf(const void* context, int index) {
  return static_cast<std::uint64_t>(AsContext(context).uc_mcontext.gregs[index]);
}

// Registers, those for floating-point numbers among them, and the next bytes of the stack.
std::uint64_t StateOf(const void* context, const Scheduler& scheduler) {
  std::uint64_t hash = 1;
  for (int i = REG_R8; i <= REG_RSP; ++i) hash = MixOnce(hash + RegisterOf(context, i));
  if (const auto* const floats = AsContext(context).uc_mcontext.fpregs; floats != nullptr) {
    constexpr std::size_t kBytes = sizeof floats->_st + sizeof floats->_xmm;
    static_assert(offsetof(_libc_fpstate, _xmm) ==
                  offsetof(_libc_fpstate, _st) + sizeof floats->_st);
    std::uint64_t words[kBytes / 8];
    std::memcpy(words, floats->_st, kBytes);
    for (const std::uint64_t word : words) hash = MixOnce(hash + word);
  }
  return scheduler.HashOfStackFrom(RegisterOf(context, REG_RSP) - kRedZone, hash);
}

enum class Stepping : std::uint8_t { kNot, kWanted, kOn };

struct Watch {
  Stepping stepping = Stepping::kNot;
  std::uint32_t asked = 0;   // without an event or an access since the first time
  std::uint64_t events = 0;  // at that time
  std::uint32_t steps = 0;
  std::uint64_t previous = 0;  // address of the last instruction
  LoopFinder finder;
};
Watch watch;

bool IsOurs(std::uint64_t address) {
  static const int module = Modules::IndexOf(reinterpret_cast<std::uint64_t>(&ArmedAt));
  return Modules::IndexOf(address) == module;
}

void StopStepping(ucontext_t* context) {
  context->uc_mcontext.gregs[REG_EFL] &= ~kSingleStep;
  watch.stepping = Stepping::kNot;
}

// The run is worth nothing: it ends here, and later ones know the loop. One that they could not
// stop at is left to the watchdog.
void Learn(Scheduler* scheduler, std::uint64_t address) {
  const SiteRef place = Modules::SiteOf(SiteOf(address));
  const bool can_trap = place.module < modules && armed_count < UnseenLoops::kMost;
  if (!can_trap || ArmedAt(address) != nullptr) return;
  AddNewSite(scheduler->channel(), SiteRef::Of(Lesson::kUnseenLoop, place.module, place.offset));
  scheduler->current()->stands = true;
  EndRun({.outcome = RunOutcome::kOvertaken});
}

}  // namespace

void UnseenLoops::Configure(std::span<const SiteRef> sites) {
  watch = Watch();
  modules = engine.channel->module_count;
  const auto is_loop = [](const SiteRef& site) { return site.lesson() == Lesson::kUnseenLoop; };
  const bool any = std::any_of(sites.begin(), sites.end(), is_loop);
  if (!any && armed_count == 0) return;
  for (std::uint32_t i = 0; i < armed_count; ++i) {
    WriteCode(armed[i].address, armed[i].original, sizeof kTrap);
  }
  armed_count = 0;
  for (const SiteRef& site : sites) {
    if (!is_loop(site)) continue;
    const std::uint64_t address = Modules::AddressOf(site.place());
    if (address != 0) Arm(address - 1);
  }
  TakeTrapsOnOwnStack(armed_count > 0);
}

bool UnseenLoops::Answer(void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const Armed* const loop = ArmedAt(static_cast<std::uint64_t>(registers[REG_RIP]));
  if (loop == nullptr) return false;
  const bool is_taken = loop->jump.IsTaken(static_cast<std::uint64_t>(registers[REG_EFL]));
  Scheduler* const scheduler = is_taken ? Scheduler::OfThisThread() : nullptr;
  if (scheduler != nullptr) {
    scheduler->GoRoundUnseen(SiteOf(loop->address), StateOf(context, *scheduler));
  }
  const std::uint64_t next = is_taken ? loop->jump.target : loop->address + loop->jump.length;
  registers[REG_RIP] = static_cast<greg_t>(next);
  return true;
}

void UnseenLoops::Ask(void* context) {
  Scheduler* const scheduler = Scheduler::Get();
  if (watch.stepping != Stepping::kNot) return;
  if (watch.asked == 0 || watch.events != scheduler->event_count() || UnseenWait::has_looked()) {
    watch = Watch();
    watch.asked = 1;
    watch.events = scheduler->event_count();
    return;
  }
  // A thread that merely computes for long is not held up much.
  const std::uint32_t asked = ++watch.asked;
  if ((asked & (asked - 1)) != 0 || scheduler->live_count() < 2) return;
  watch.stepping = Stepping::kOn;
  watch.steps = 0;
  watch.previous = 0;
  watch.finder = LoopFinder();
  const Shell& shell = *scheduler->current()->shell;
  if (ThreadPointer() == shell.fs) {
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] |= kSingleStep;
  } else {  // another kernel thread was asked (baton)
    watch.stepping = Stepping::kWanted;
    real::pthread_kill(shell.handle, SIGTRAP);
  }
}

bool UnseenLoops::Step(void* context) {
  if (watch.stepping == Stepping::kNot) return false;
  auto* const here = static_cast<ucontext_t*>(context);
  Scheduler* const scheduler = Scheduler::Get();
  if (scheduler == nullptr || scheduler->event_count() != watch.events ||
      ++watch.steps > kMostSteps) {
    StopStepping(here);
    return true;
  }
  watch.stepping = Stepping::kOn;
  here->uc_mcontext.gregs[REG_EFL] |= kSingleStep;
  const std::uint64_t now = RegisterOf(context, REG_RIP);
  const std::uint64_t previous = std::exchange(watch.previous, now);
  JumpCode jump;
  const bool jumped_back = previous != 0 && now <= previous && !IsOurs(previous) &&
                           ReadLoop(previous, &jump) && jump.target == now;
  if (jumped_back && watch.finder.Took(previous, StateOf(context, *scheduler))) {
    StopStepping(here);
    Learn(scheduler, watch.finder.found());
  }
  return true;
}

}  // namespace heddle
