#include "runtime/scheduler/unseen_wait.h"

#include <algorithm>

#include "runtime/engine.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostLooks = 512;  // accesses
constexpr std::uint32_t kMostReads = 16;   // of a round
constexpr std::uint32_t kFirstLength = 2;

// Of the thread that runs; it is no other one's before the next event.
struct Round {
  std::uint64_t pc = 0;  // where it begins; 0: nowhere yet
  std::uint64_t call_depth = 0;
  std::uint64_t state = 0;
  std::uint32_t length = kFirstLength;  // accesses after which another beginning is tried
  std::uint32_t reads = 0;
  std::uint32_t sites[kMostReads];  // by index
};

Round round;
std::uint32_t looks = 0;
std::uint64_t events = 0;                            // when it was asked
std::uint64_t no_site[1u << HEDDLE_SITE_BITS] = {};  // a table that waves nothing through

void Begin(std::uint64_t pc, AddressRange stack) {
  const std::uint32_t length = round.pc == 0 ? kFirstLength : round.length;
  round = Round();
  round.length = length;
  round.pc = pc;
  round.call_depth = engine.hot.call_depth;
  round.state = HashOfOwnState(pc, stack);
}

}  // namespace

volatile bool UnseenWait::is_asked_ = false;

void UnseenWait::Ask(HeddleHot* hot) {
  if (is_asked_) return;
  is_asked_ = true;
  hot->sites = no_site;
}

bool UnseenWait::has_looked() { return looks > 0; }

void UnseenWait::LetGo() {
  engine.hot.sites = Sites::FastTable();
  ResetForRun();
}

void UnseenWait::ResetForRun() {
  if (is_asked_) engine.hot.sites = Sites::FastTable();
  is_asked_ = false;
  looks = 0;
  round = Round();
}

void UnseenWait::Look(Scheduler* scheduler, const Site& site, const void* address, bool is_write,
                      AddressRange stack) {
  if (looks == 0) events = scheduler->event_count();
  if (++looks > kMostLooks || events != scheduler->event_count() || scheduler->live_count() < 2) {
    return LetGo();
  }
  if (is_write) {
    // Its own stack is compared.
    if (!stack.Has(reinterpret_cast<std::uint64_t>(address))) round = Round();
    return;
  }
  const bool is_back = round.pc == site.pc && round.call_depth == engine.hot.call_depth;
  if (is_back && round.reads > 0 && round.reads <= kMostReads && round.state != 0 &&
      round.state == HashOfOwnState(site.pc, stack)) {
    for (std::uint32_t i = 0; i < round.reads; ++i) {
      Sites::Report(Sites::ByIndex(round.sites[i]), scheduler->channel());
    }
    scheduler->current()->stands = true;
    EndRun({.outcome = RunOutcome::kOvertaken});
  }
  // Brent's way to find a cycle, as in scheduler/spin.h.
  const bool is_too_long = round.pc != 0 && round.reads >= round.length;
  if (is_too_long) round.length = std::min(2 * round.length, kMostReads);
  if (round.pc == 0 || is_back || is_too_long) Begin(site.pc, stack);
  if (round.reads < kMostReads) round.sites[round.reads] = site.index;
  if (round.reads <= kMostReads) ++round.reads;
}

}  // namespace heddle
